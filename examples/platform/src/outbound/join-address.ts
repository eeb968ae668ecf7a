/** An address or a path parameter that no request may be made of. The message is for the person who entered it. */
export class AddressError extends Error {
  override readonly name = "AddressError";
  readonly code = "invalid_address";
}

/**
 * The address of an operation below an integrator's base address (D-41).
 *
 * @param baseAddress may end in a path prefix, with or without a slash: `https://example.com/someprefix/`
 * @param path a template such as `/contact/new/{workerId}`
 * @throws {AddressError}
 */
export function joinAddress(baseAddress: string, path: string, parameters: Record<string, string> = {}): URL {
  const base = httpAddress(baseAddress);
  // Looked for in the text: URL drops a bare "?" or "#".
  if (/[?#]/.test(baseAddress)) throw new AddressError('the base address must not contain "?" or "#"');
  base.pathname = base.pathname.replace(/\/+$/, "") + fillPath(path, parameters);
  return base;
}

/**
 * An address on the web. It may have a query.
 *
 * @throws {AddressError}
 */
export function httpAddress(text: string): URL {
  const address = URL.canParse(text) ? new URL(text) : undefined;
  if (address === undefined && /^https?:/i.test(text))
    throw new AddressError("the base address is not a valid address: check its host name and its port (1 to 65535)");
  if (address === undefined || (address.protocol !== "https:" && address.protocol !== "http:"))
    throw new AddressError("the base address must start with https:// or http://");
  if (address.username !== "" || address.password !== "")
    throw new AddressError("the base address must not contain a user name or password");
  return address;
}

/** @throws {AddressError} when a parameter is missing or cannot be part of a path */
export function fillPath(path: string, parameters: Record<string, string> = {}): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => encodeSegment(name, parameters[name]));
}

function encodeSegment(name: string, value: string | undefined): string {
  // "." and ".." would climb out of their path when the address is parsed, also percent-encoded.
  if (value === undefined || value === "" || value === "." || value === ".." || /\p{Surrogate}/u.test(value))
    throw new AddressError(`${name} cannot be part of a path`);
  return encodeURIComponent(value);
}
