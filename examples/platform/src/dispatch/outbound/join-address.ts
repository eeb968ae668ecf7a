import { OutboundError } from "./failures.ts";

const invalid = (message: string): OutboundError => new OutboundError("invalid_address", message);

/**
 * The address of an operation below an integrator's base address (D-41).
 *
 * @param baseAddress may end in a path prefix, with or without a slash: `https://example.com/someprefix/`
 * @param path a template such as `/contact/new/{workerId}`
 * @throws {OutboundError} `invalid_address`
 */
export function joinAddress(baseAddress: string, path: string, parameters: Record<string, string> = {}): URL {
  const base = httpAddress(baseAddress);
  // Searched in the text: URL drops a bare "?" or "#".
  if (/[?#]/.test(baseAddress)) throw invalid('the base address must not contain "?" or "#"');
  base.pathname = base.pathname.replace(/\/+$/, "") + fillPath(path, parameters);
  return base;
}

/**
 * Parses an address on the web, which may have a query.
 *
 * @throws {OutboundError} `invalid_address`
 */
export function httpAddress(text: string): URL {
  const address = URL.parse(text);
  if (address === null && /^https?:/i.test(text))
    throw invalid("the base address is not a valid address: check its host name and its port (1 to 65535)");
  if (address === null || (address.protocol !== "https:" && address.protocol !== "http:"))
    throw invalid("the base address must start with https:// or http://");
  if (address.username !== "" || address.password !== "")
    throw invalid("the base address must not contain a user name or password");
  return address;
}

/** @throws {OutboundError} `invalid_address` when a parameter is missing or cannot be part of a path */
export function fillPath(path: string, parameters: Record<string, string> = {}): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => encodeSegment(name, parameters[name]));
}

function encodeSegment(name: string, value: string | undefined): string {
  // "." and ".." would be resolved away when the address is parsed, even percent-encoded.
  if (value === undefined || value === "" || value === "." || value === ".." || /\p{Surrogate}/u.test(value))
    throw invalid(`${name} cannot be part of a path`);
  return encodeURIComponent(value);
}
