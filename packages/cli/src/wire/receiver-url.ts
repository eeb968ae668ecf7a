import { cut, UsageError } from "../terminal/output.ts";
import type { Address } from "./exchange.ts";

/** A parsed base URL. */
export interface ReceiverUrl extends Address {
  /** The prefix of every path, without a trailing slash. */
  base: string;
  /** The normalised URL, without a trailing slash. */
  href: string;
}

/** Parses a base URL. @throws {UsageError} if the string is not a base URL */
export function parseUrl(text: string): ReceiverUrl {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || (url.protocol !== "http:" && url.protocol !== "https:"))
    throw new UsageError(
      `${quote(text)} is not a URL. Use one that starts with http:// or https://, such as http://localhost:3001/offers.`,
    );
  if (url.username || url.password)
    throw new UsageError("The URL must not contain a user name or a password, because the service never sends them.");
  if (url.search || url.hash)
    throw new UsageError(
      `${quote(text)} has a query or a fragment. Pass only the base URL, as it appears in the company profile.`,
    );
  const isSecure = url.protocol === "https:";
  const base = url.pathname.replace(/\/+$/, "");
  return {
    host: url.hostname,
    port: Number(url.port || (isSecure ? 443 : 80)),
    isSecure,
    base,
    href: `${url.origin}${base}`,
  };
}

const quote = (text: string): string => JSON.stringify(cut(text, 200));

/** A description and a remedy for each certificate error, by OpenSSL's verification code. */
const certificateProblems: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: "its certificate has expired; renew it",
  CERT_NOT_YET_VALID: "its certificate is not valid yet; are both clocks correct?",
  ERR_TLS_CERT_ALTNAME_INVALID: "its certificate is for a different name; use the name in the certificate",
};

const untrustedCertificate =
  /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_|CERT_UNTRUSTED|CERT_SIGNATURE_FAILURE)/;

/** Returns the code of an error's innermost cause, or its message if the code says less. `fetch` itself only says that it failed. */
export function reasonOf(error: unknown): string {
  const { cause, code, message } = Object(error);
  if (cause) return reasonOf(cause);
  // undici uses this code for everything that a proxy does, and Node's DOMException has a number.
  return typeof code === "string" && code !== "UND_ERR_ABORTED" ? code : String(message);
}

/** Explains why a connection failed. @param error the error code, or the error message if the error has no code */
export function describeConnectionError({ href, isSecure = false }: ReceiverUrl, error: string): string {
  const certificate = certificateProblems[error];
  if (certificate !== undefined) return `${href} cannot be used: ${certificate} (${error}).`;
  if (untrustedCertificate.test(error))
    return `${href} cannot be used: its certificate is not signed by an authority that this machine trusts (${error}). Set NODE_EXTRA_CA_CERTS to your own authority's certificate.`;
  if (isSecure && /^EPROTO|SSL|TLS/i.test(error))
    return `${href} does not use TLS on this port. If your receiver serves plain HTTP, use http://.`;
  if (error.startsWith("Proxy response"))
    return `${href} cannot be reached: the proxy refused the connection (${error}). Check HTTPS_PROXY, HTTP_PROXY and NO_PROXY.`;
  return `${href} cannot be reached (${error.split("\n")[0]?.slice(0, 80)}). Start your receiver first, and pass the URL on which it listens.`;
}
