import ipaddr from "ipaddr.js";

/** In the public range, but used by Azure for metadata and control. */
const cloudInternal = new Set(["168.63.129.16"]);
const globalUnicast = ipaddr.IPv6.parseCIDR("2000::/3");

export interface AddressGuardOptions {
  /** Allows requests to loopback addresses. For development and tests only. */
  allowLoopback: boolean;
}

/**
 * Guards against server-side request forgery (SSRF, D-41): whether a request may go to this IP address. Only public addresses
 * are allowed. All others are refused, unknown ranges included: private, loopback, link-local and metadata addresses, and IPv6
 * forms that contain an IPv4 address.
 */
export function isAllowedAddress(address: string, { allowLoopback }: AddressGuardOptions): boolean {
  // A zone id names an interface of this machine.
  if (!ipaddr.isValid(address) || address.includes("%")) return false;
  const parsed = ipaddr.parse(address);
  const range = parsed.range();
  if (range === "loopback") return allowLoopback;
  if (range !== "unicast") return false;
  return parsed instanceof ipaddr.IPv6 ? parsed.match(globalUnicast) : !cloudInternal.has(parsed.toString());
}
