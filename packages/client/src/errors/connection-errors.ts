import { ConnectionError, UsageError } from "./error-classes.ts";
import type { ErrorClass } from "./offers-error.ts";

/** An error's class, code and message. */
export interface Classification {
  readonly type: ErrorClass;
  readonly code: string;
  readonly message: string;
}

/** The code of the error that `undiciFetch` throws if no byte of the request was written, whatever the cause's code. */
export const notSentCode = "REQUEST_NOT_SENT";

const classification = (code: string, message: string, type: ErrorClass = ConnectionError): Classification => ({
  type,
  code,
  message,
});

const connectionLost = classification("connection_lost", "the connection was lost; the request may have been received");

/**
 * What each failure of `fetch` means, most specific first. Node, undici and Bun report a code, which is in the first line of the
 * searched string. Deno reports only a message. Other messages are not matched, because they may quote what the user or the service sent.
 */
const classifications: readonly (readonly [pattern: RegExp, meaning: Classification])[] = [
  [/bad port|port \d+ are blocked/, classification("port_blocked", "fetch blocks this port")],
  // jsdom replaces AbortSignal but not fetch, and Node's fetch accepts only Node's AbortSignal.
  [/AbortSignal/, classification("invalid_option", "fetch rejects jsdom's AbortSignal", UsageError)],
  // tls_failed is a separate code because a retry cannot fix a certificate. These OpenSSL codes come from handshakes. Any other may come
  // from a damaged record on an established connection, after the request was sent.
  [/^.*SSL.*WRONG_VERSION/, classification("tls_failed", "no TLS connection was made; the port expects http")],
  [
    /^.*(SELF_SIGNED|UNABLE_TO)/,
    classification("tls_failed", "no TLS connection was made; for a private certificate, set NODE_EXTRA_CA_CERTS"),
  ],
  [
    /^.*(CERT|HOSTNAME|ERR_TLS|EPROTO|SSL.*(VERSION|HANDSHAKE|UNSUPPORTED|NO_|UNKNOWN_CA|UNRECOGNIZED|KEY_TOO|LEGACY))|\(Connect\).* (peer certificate|corrupt message)/,
    classification("tls_failed", "no TLS connection was made; check baseUrl and the certificate"),
  ],
  // No byte of the request was written (D-40). Codes such as ETIMEDOUT and EHOSTUNREACH can also come from reading an established
  // connection; they prove this only if every try failed in `connect`, or in `bind` before it.
  [
    /^.*(NOT_SENT|ENOTFOUND|EAI_|refused|CONNECT_TIMEOUT| (connect|bind)\n)|error \(Connect\)/i,
    classification("connect_failed", "no connection was made; check baseUrl and the network"),
  ],
];

/** Returns what a failed `fetch` means. @param searched the codes and system calls in the first line, the messages below it */
export const classifyConnectionFailure = (searched: string): Classification =>
  classifications.find(([pattern]) => pattern.test(searched))?.[1] ?? connectionLost;
