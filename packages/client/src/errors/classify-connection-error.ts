import type { ConnectionError } from "./no-response-errors.ts";

type Classification = readonly [code: ConnectionError["code"], message: string];

const portBlocked: Classification = ["port_blocked", "fetch refuses this port; use another"];
const notConnected: Classification = [
  "connect_failed",
  "no connection was made; check baseUrl, the network and a proxy",
];
/**
 * The error codes and messages of the runtimes, the most specific first. Node, undici and Bun have codes, Deno has messages only
 * (`client error (Connect)`, `invalid peer certificate`). After `connect_failed` nothing was sent (D-40). `tls_failed` is a code
 * of its own because a retry cannot correct a certificate.
 */
const patterns: readonly (readonly [pattern: RegExp, ...Classification])[] = [
  [/bad port|ports? \d+ (is|are) blocked/, ...portBlocked],
  [/ALTNAME|HOSTNAME_MISMATCH|NotValidForName/, "tls_failed", "the certificate is for another name; check baseUrl"],
  [
    /CERT\w*_EXPIRED|NOT_YET_VALID|certificate: (Expired|NotValidYet)/,
    "tls_failed",
    "the certificate is out of date; renew it, or set the clock",
  ],
  [
    /SELF_SIGNED|UNABLE_TO|CERT_(UNTRUSTED|CHAIN)|UnknownIssuer|CaUsedAsEndEntity|invalid peer certificate/,
    "tls_failed",
    "the certificate is not trusted; check baseUrl, or set NODE_EXTRA_CA_CERTS",
  ],
  [
    /WRONG_VERSION|PACKET_LENGTH|EPROTO|InvalidContentType|corrupt message|UNKNOWN_PROTOCOL|RECORD/,
    "tls_failed",
    "the server does not speak TLS; check baseUrl",
  ],
  [/CERT|SSL|TLS/, "tls_failed", "the TLS handshake failed; check the certificate"],
  [
    /ENOTFOUND|EAI_AGAIN|EAI_NONAME|dns error/,
    "connect_failed",
    "the host was not found; check baseUrl and the network",
  ],
  [/refused/i, "connect_failed", "the connection was refused; check baseUrl: does the service run there?"],
  // EHOSTUNREACH and ENETUNREACH also come from reading on an established connection: only `connect` proves that nothing was sent.
  [/CONNECT_TIMEOUT|UNREACH connect$|client error \(Connect\)/i, ...notConnected],
  [
    /HPE_|HTTPParserError|InvalidHTTP|Malformed_HTTP/i,
    "connection_lost",
    "the server does not speak HTTP; check baseUrl: https?",
  ],
  // Any other failure.
  [
    /^/,
    "connection_lost",
    "the connection was lost; the request may have been received. Check baseUrl: http or https?",
  ],
];

/** https://fetch.spec.whatwg.org/#port-blocking: Node and Deno refuse these ports, Bun tries them; all get the same code. */
const blocked =
  /^([179]|1[13579]|2[0-35]|37|4[23]|53|69|77|79|87|95|10[1-4]|109|11[013579]|123|13[579]|143|161|179|389|427|465|51[2-5]|526|53[0-2]|54[08]|55[46]|563|587|601|636|989|99[035]|1719|172[03]|2049|3659|4045|4190|506[01]|6000|6566|666[5-9]|6679|6697|10080)$/;

/**
 * The code and message of a failed `fetch`.
 *
 * @param codes the innermost code and its system call
 * @param text all messages, from the outermost to the innermost cause
 * @param isUnsent whether the `fetch` reported that no connection was made
 * @param url of the request to the runtime's own `fetch`
 */
export function classifyConnectionError(codes: string, text: string, isUnsent: boolean, url?: string): Classification {
  // Only these messages count: any other may quote what the user or the service wrote.
  const knownMessage =
    /client error \(Connect\)|bad port|ports? \d+ (is|are) blocked|invalid peer certificate|dns error|HTTPParserError/;
  const searched = knownMessage.test(text) ? `${text} ${codes}` : codes;
  const [, ...known] = patterns.find(([pattern]) => pattern.test(searched)) as (typeof patterns)[number];
  const [code] = known;
  if (isUnsent && code === "connection_lost") return notConnected;
  return url && code === "connect_failed" && blocked.test(new URL(url).port) ? portBlocked : known;
}
