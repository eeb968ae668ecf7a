import { ConnectionError, UsageError } from "./error-classes.ts";
import type { ErrorClass } from "./offers-error.ts";

/** What the error of a failure is. */
export type Classification = readonly [kind: ErrorClass, code: string, message: string];

/** The code of an error after which no connection was made, whatever code its cause has. `undiciFetch` throws it. */
export const notSent = "REQUEST_NOT_SENT";

/**
 * What a failed `fetch` means, the most specific first. Node, undici and Bun report a failure by a code, which is in the first
 * line of the searched text, Deno by a message only. No other message counts: it may quote what the user or the service wrote.
 */
export const connectionFailures: readonly (readonly [...Classification, pattern: RegExp])[] = [
  [ConnectionError, "port_blocked", "fetch refuses this port", /bad port|port \d+ are blocked/],
  // Test environments such as jsdom replace AbortSignal, and leave Node's fetch, which takes only Node's own.
  [
    UsageError,
    "invalid_option",
    "fetch refuses the AbortSignal of this environment, such as jsdom; run the test in the environment node, or pass a fetch of the same environment",
    /to be an instance of AbortSignal/,
  ],
  // A separate code, because a retry cannot correct a certificate. Of OpenSSL's codes these are from handshakes; any other may
  // come from a damaged record of an established connection, whose request was sent.
  [
    ConnectionError,
    "tls_failed",
    "no TLS connection was made; check baseUrl and the certificate",
    /^.*(CERT|UNABLE_TO|HOSTNAME|ERR_TLS|EPROTO|SSL.*(VERSION|HANDSHAKE|UNSUPPORTED|NO_|UNKNOWN_CA|UNRECOGNIZED|KEY_TOO|LEGACY))|\(Connect\).* (peer certificate|corrupt message)/,
  ],
  // Nothing was sent (D-40). ETIMEDOUT and EHOSTUNREACH, for example, also come from reading on an established connection: they
  // prove it only if every try failed in `connect`, or in `bind` before it.
  [
    ConnectionError,
    "connect_failed",
    "no connection was made; check baseUrl and the network",
    /^.*(NOT_SENT|ENOTFOUND|EAI_|refused|CONNECT_TIMEOUT| (connect|bind)\n)|error \(Connect\)/i,
  ],
  [ConnectionError, "connection_lost", "the connection was lost; the request may have been received", /^/],
];
