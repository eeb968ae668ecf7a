import { networkInterfaces } from "node:os";
import ipaddr from "ipaddr.js";

/** Whether an address belongs to this machine: even a public one may lead to services that serve only the machine. */
export function isOwnAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const wanted = ipaddr.process(address).toNormalizedString();
  return Object.values(networkInterfaces())
    .flatMap((entries) => entries ?? [])
    .some((entry) => ipaddr.process(entry.address).toNormalizedString() === wanted);
}
