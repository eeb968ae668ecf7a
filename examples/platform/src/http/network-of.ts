import ipaddr from "ipaddr.js";

/**
 * The network by which an address is rate limited: an IPv4 address itself, the /64 prefix of an IPv6 address, since a
 * subscriber usually has a whole /64 (RFC 6177).
 */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  return parsed.kind() === "ipv6" ? parsed.toByteArray().slice(0, 8).join(".") : parsed.toString();
}
