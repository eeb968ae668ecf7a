import { ConnectionError, UsageError } from "./error-classes.ts";
import type { ErrorClass } from "./offers-error.ts";

/** The class, code and message of an error. */
export interface Classification {
  readonly type: ErrorClass;
  readonly code: string;
  readonly message: string;
}

const createClassification = (code: string, message: string, type: ErrorClass = ConnectionError): Classification => ({
  type,
  code,
  message,
});

const connectionLost = createClassification(
  "connection_lost",
  "the connection was lost; the request may have been received",
);

/**
 * How to recognise each failure of `fetch`, most specific first. Node, undici and Bun report a code, which is in the first line of the
 * string to match. Deno reports only a message. Other messages are not matched, because they may quote what the user or the service sent.
 */
const classifications: readonly (readonly [pattern: RegExp, meaning: Classification])[] = [
  [/bad port|port \d+ are blocked/, createClassification("port_blocked", "fetch blocks this port")],
  // jsdom replaces AbortSignal but not fetch, and Node's fetch accepts only Node's AbortSignal.
  [/AbortSignal/, createClassification("invalid_option", "fetch rejects jsdom's AbortSignal", UsageError)],
  // tls_failed is a separate code because a retry cannot fix a certificate. These OpenSSL codes occur only in handshakes. Any other code
  // may be caused by a damaged record on an established connection, after the request was sent.
  [/^.*SSL.*WRONG_VERSION/, createClassification("tls_failed", "no TLS connection was made; the port expects http")],
  [
    /^.*(SELF_SIGNED|UNABLE_TO)/,
    createClassification(
      "tls_failed",
      "no TLS connection was made; for a private certificate, set NODE_EXTRA_CA_CERTS",
    ),
  ],
  [
    /^.*(CERT|HOSTNAME|ERR_TLS|EPROTO|SSL.*(VERSION|HANDSHAKE|UNSUPPORTED|NO_|UNKNOWN_CA|UNRECOGNIZED|KEY_TOO|LEGACY))|\(Connect\).* (peer certificate|corrupt message)/,
    createClassification("tls_failed", "no TLS connection was made; check baseUrl and the certificate"),
  ],
  // No byte of the request was written (D-40). Codes such as ETIMEDOUT and EHOSTUNREACH can also occur while reading from an established
  // connection. They prove that nothing was written only if every address failed in `connect`, or in `bind` before it.
  [
    /^.*(NOT_SENT|ENOTFOUND|EAI_|refused|CONNECT_TIMEOUT| (connect|bind)\n)|error \(Connect\)/i,
    createClassification("connect_failed", "no connection was made; check baseUrl and the network"),
  ],
];

/** Classifies a failed `fetch`. @param errorText the codes and system calls on the first line, and the messages below it */
export const classifyConnectionFailure = (errorText: string): Classification =>
  classifications.find(([pattern]) => pattern.test(errorText))?.[1] ?? connectionLost;
