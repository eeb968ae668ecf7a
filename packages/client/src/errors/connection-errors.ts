import { ConnectionError } from "./error-classes.ts";
import type { ErrorClass } from "./offers-error.ts";

/** What the error of a failure is. */
export type Classification = readonly [kind: ErrorClass, code: string, message: string];

/** The code of an error after which no connection was made, whatever code its cause has. `undiciFetch` throws it. */
export const notSent = "REQUEST_NOT_SENT";

const notConnected = "no connection was made; check baseUrl, the network, and whether the service runs there";

/**
 * The error codes and messages of the runtimes, the most specific first. Node, undici and Bun have codes, Deno has messages only
 * (`client error (Connect)`, `invalid peer certificate`). After `connect_failed` nothing was sent (D-40). `tls_failed` is a code
 * of its own because a retry cannot correct a certificate.
 */
const patterns: readonly (readonly [pattern: RegExp, code: ConnectionError["code"], message: string])[] = [
  [/bad port|ports? \d+ (is|are) blocked/, "port_blocked", "fetch refuses this port; use another"],
  [
    /WRONG_VERSION|PACKET_LENGTH|EPROTO|RECORD|InvalidContentType|corrupt message/,
    "tls_failed",
    "the server does not speak TLS; check baseUrl",
  ],
  [
    /CERT|SELF_SIGNED|UNABLE_TO|HOSTNAME|SSL|TLS|peer certificate/,
    "tls_failed",
    "the certificate is not trusted, or not for this name or time; check baseUrl, or set NODE_EXTRA_CA_CERTS",
  ],
  // EHOSTUNREACH and ENETUNREACH also come from reading on an established connection: only `connect` proves that nothing was sent.
  [/ENOTFOUND|EAI_|refused|CONNECT_TIMEOUT|UNREACH connect$|error \(Connect\)/i, "connect_failed", notConnected],
  [
    /^/,
    "connection_lost",
    "the connection was lost; the request may have been received. Check baseUrl: http or https?",
  ],
];

/**
 * The class, code and message of a failed `fetch`.
 *
 * @param codes the innermost code and its system call
 * @param text all messages, from the outermost to the innermost cause
 * @param isUnsent whether the `fetch` reported that no connection was made
 */
export function classifyConnectionError(codes: string, text: string, isUnsent: boolean): Classification {
  // Only these messages count: any other may quote what the user or the service wrote.
  const known = /client error \(Connect\)|bad port|ports? \d+ (is|are) blocked|invalid peer certificate/.test(text);
  const searched = known ? `${text} ${codes}` : codes;
  const [, code, message] = patterns.find(([pattern]) => pattern.test(searched)) as (typeof patterns)[number];
  return isUnsent && code === "connection_lost"
    ? [ConnectionError, "connect_failed", notConnected]
    : [ConnectionError, code, message];
}
