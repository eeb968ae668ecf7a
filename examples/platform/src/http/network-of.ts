import ipaddr from "ipaddr.js";

/**
 * The network that limits count an address under: an address of version 4 itself, the first 64 bits of one of version 6.
 * A single subscriber usually has all 2^64 addresses of such a network (RFC 6177).
 */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  return parsed.kind() === "ipv6" ? parsed.toByteArray().slice(0, 8).join(".") : parsed.toString();
}
