import { networkInterfaces } from "node:os";
import ipaddr from "ipaddr.js";

/** Whether an address is one of this machine's network interfaces: also a public one leads to services meant for here. */
export function isOwnAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const wanted = ipaddr.process(address).toNormalizedString();
  return Object.values(networkInterfaces())
    .flatMap((entries) => entries ?? [])
    .some((entry) => ipaddr.process(entry.address).toNormalizedString() === wanted);
}
