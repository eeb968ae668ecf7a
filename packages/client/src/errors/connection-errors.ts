import { ConnectionError, UsageError } from "./error-classes.ts";
import type { ErrorClass } from "./offers-error.ts";

/** An error's class, code and message. */
export interface Classification {
  readonly type: ErrorClass;
  readonly code: string;
  readonly message: string;
}

/** The code of an error that proves that no byte of the request was written, whatever its cause says. `undiciFetch` throws it. */
export const notSent = "REQUEST_NOT_SENT";

const failure = (code: string, message: string, type: ErrorClass = ConnectionError): Classification => ({
  type,
  code,
  message,
});

const lost = failure("connection_lost", "the connection was lost; the request may have been received");

/**
 * What a failed `fetch` means, most specific first. Node, undici and Bun report failures by codes, which are in the first line of the
 * searched string; Deno only by a message. No other message counts, because it may quote what the user or the service sent.
 */
const failures: readonly (readonly [pattern: RegExp, meaning: Classification])[] = [
  [/bad port|port \d+ are blocked/, failure("port_blocked", "fetch blocks this port")],
  // jsdom replaces AbortSignal but not fetch, which accepts only Node's own.
  [/AbortSignal/, failure("invalid_option", "fetch rejects jsdom's AbortSignal", UsageError)],
  // tls_failed is a separate code because a retry cannot fix a certificate. These OpenSSL codes come from handshakes; any other may come
  // from a damaged record on an established connection, whose request was sent.
  [/^.*SSL.*WRONG_VERSION/, failure("tls_failed", "no TLS connection was made; the port expects http")],
  [
    /^.*(SELF_SIGNED|UNABLE_TO)/,
    failure("tls_failed", "no TLS connection was made; for a private certificate, set NODE_EXTRA_CA_CERTS"),
  ],
  [
    /^.*(CERT|HOSTNAME|ERR_TLS|EPROTO|SSL.*(VERSION|HANDSHAKE|UNSUPPORTED|NO_|UNKNOWN_CA|UNRECOGNIZED|KEY_TOO|LEGACY))|\(Connect\).* (peer certificate|corrupt message)/,
    failure("tls_failed", "no TLS connection was made; check baseUrl and the certificate"),
  ],
  // No byte of the request was written (D-40). Codes such as ETIMEDOUT and EHOSTUNREACH can also come from reading an established
  // connection; they prove it only if every try failed in `connect`, or in `bind` before it.
  [
    /^.*(NOT_SENT|ENOTFOUND|EAI_|refused|CONNECT_TIMEOUT| (connect|bind)\n)|error \(Connect\)/i,
    failure("connect_failed", "no connection was made; check baseUrl and the network"),
  ],
];

/** @param searched the codes and system calls in the first line, the messages below it */
export const classifyConnectionFailure = (searched: string): Classification =>
  failures.find(([pattern]) => pattern.test(searched))?.[1] ?? lost;
