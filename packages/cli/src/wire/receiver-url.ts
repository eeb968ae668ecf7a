import { UsageError } from "../terminal/output.ts";
import type { Address } from "./exchange.ts";

/** An address of a receiver, and what stands before every path, without a slash at its end. */
export interface ReceiverUrl extends Address {
  base: string;
  /** As given, without what follows the path. */
  href: string;
}

/** @throws {UsageError} for text that is no address of a receiver */
export function readUrl(text: string): ReceiverUrl {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || (url.protocol !== "http:" && url.protocol !== "https:"))
    throw new UsageError(
      `${quoted(text)} is no address. Give one with http:// or https://, such as http://localhost:3001/offers.`,
    );
  if (url.username || url.password)
    throw new UsageError("The address holds a user name or a password. Give it without: the service sends none.");
  if (url.search || url.hash)
    throw new UsageError(
      `${quoted(text)} has a query or a fragment. Give the base address alone, as on the company profile.`,
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

const quoted = (text: string): string => JSON.stringify(text.slice(0, 200));

/** Errors of the certificate, by the code of OpenSSL's verification, with what to do. */
const certificateProblems: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: "its certificate has expired; renew it",
  CERT_NOT_YET_VALID: "its certificate is not valid yet; are both clocks right?",
  ERR_TLS_CERT_ALTNAME_INVALID: "its certificate is for another name; give the address by the name in the certificate",
};

const untrusted =
  /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_|CERT_UNTRUSTED|CERT_SIGNATURE_FAILURE)/;

/** Why a connection failed, by the code or the message of its error. OpenSSL's own text names a line of its source code. */
export function describeConnectionError({ href, isSecure = false }: ReceiverUrl, error: string): string {
  const certificate = certificateProblems[error];
  if (certificate !== undefined) return `${href} cannot be used: ${certificate} (${error}).`;
  if (untrusted.test(error))
    return `${href} cannot be used: its certificate is not signed by an authority that this machine trusts (${error}). Name your own authority's certificate in NODE_EXTRA_CA_CERTS.`;
  if (isSecure && /^EPROTO|SSL|TLS/i.test(error))
    return `${href} does not speak TLS on this port. If your receiver serves plain HTTP, give its address with http://.`;
  return `${href} cannot be reached (${error.split("\n")[0]?.slice(0, 80)}). Start your receiver first, and give the address on which it listens.`;
}
