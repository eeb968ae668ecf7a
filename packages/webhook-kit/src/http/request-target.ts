/** Scheme, host and port, where an address has them. */
const origin = /^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i;

/**
 * Path and query of an address, and the path alone, both still percent-encoded. A request's target may be written with scheme
 * and host (RFC 9112, absolute-form), or be no path at all (`*`); then the path is none of ours.
 */
export function readTarget(address: string): { readonly target: string; readonly path: string } {
  const whole = address.startsWith("/") ? address : address.replace(origin, "");
  const [target = ""] = whole.split("#", 1);
  const [path = ""] = target.split("?", 1);
  return { target, path };
}
