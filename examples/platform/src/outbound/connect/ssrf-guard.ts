import ipaddr from "ipaddr.js";

/** Public addresses by their number, but metadata and control of a cloud by their use. */
const cloudInternal = new Set(["168.63.129.16"]);
const globalUnicast = ipaddr.IPv6.parseCIDR("2000::/3");

export interface AddressGuardOptions {
  /** Lets requests go to this very machine. For development and tests only. */
  allowLoopback: boolean;
}

/**
 * Whether a request may go to this IP address: only to public ones (D-41). All else is refused, also what this
 * function has never heard of: private, loopback, link-local and metadata addresses, and IPv6 forms that carry an IPv4 address.
 */
export function isAllowedAddress(address: string, { allowLoopback }: AddressGuardOptions): boolean {
  // A zone names an interface of this machine.
  if (!ipaddr.isValid(address) || address.includes("%")) return false;
  const parsed = ipaddr.parse(address);
  const range = parsed.range();
  if (range === "loopback") return allowLoopback;
  if (range !== "unicast") return false;
  return parsed instanceof ipaddr.IPv6 ? parsed.match(globalUnicast) : !cloudInternal.has(parsed.toString());
}
