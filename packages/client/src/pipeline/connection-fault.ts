import type { ConnectionError } from "../errors/no-response-errors.ts";

type Fault = readonly [code: ConnectionError["code"], fault: string];

const portBlocked: Fault = ["port_blocked", "fetch refuses this port; use another"];
const notMade: Fault = ["connect_failed", "no connection was made; check baseUrl, the network and a proxy"];
const lost: Fault = [
  "connection_lost",
  "the connection broke off; what was sent may have had its effect. Check baseUrl: http or https?",
];

/**
 * What runtimes say of a connection that failed, most telling first. Node, undici and Bun have codes, Deno has words only
 * (`client error (Connect)`, `invalid peer certificate`). Nothing was sent after what is `connect_failed` (D-40);
 * waiting mends no certificate, hence `tls_failed`.
 */
const faults: readonly (readonly [signs: RegExp, ...Fault])[] = [
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
    "no authority that is trusted here signed the certificate; check baseUrl, or set NODE_EXTRA_CA_CERTS",
  ],
  [
    /WRONG_VERSION|PACKET_LENGTH|EPROTO|InvalidContentType|corrupt message|UNKNOWN_PROTOCOL|RECORD/,
    "tls_failed",
    "what listens there speaks no TLS; check baseUrl",
  ],
  [/CERT|SSL|TLS/, "tls_failed", "the TLS handshake failed; check the certificate"],
  [
    /ENOTFOUND|EAI_AGAIN|EAI_NONAME|dns error/,
    "connect_failed",
    "the host was not found; check baseUrl and the network",
  ],
  [/refused/i, "connect_failed", "the connection was refused; check baseUrl: does the service run there?"],
  // Reading from a connection that was made fails with the second code too.
  [/CONNECT_TIMEOUT|UNREACH connect$|client error \(Connect\)/i, ...notMade],
  [
    /HPE_|HTTPParserError|InvalidHTTP|Malformed_HTTP/i,
    "connection_lost",
    "what listens there speaks no HTTP; check baseUrl: https?",
  ],
];

/** https://fetch.spec.whatwg.org/#port-blocking: Node and Deno refuse these ports, Bun tries them. One code for all. */
const blocked =
  /^([179]|1[135]|17|19|2[0-35]|37|4[23]|53|69|77|79|87|95|10[1-4]|109|11[01357]|119|123|13[579]|143|161|179|389|427|465|51[2-5]|526|53[0-2]|54[08]|55[46]|563|587|601|636|989|99[035]|1719|172[03]|2049|3659|4045|4190|506[01]|6000|6566|666[5-9]|6679|6697|10080)$/;

/**
 * What a `fetch` that failed means, and what to do about it.
 *
 * @param signs the innermost code and its system call
 * @param text all that was said
 * @param isUnsent whether whoever made the connection knows that there was none
 * @param url of the request to the runtime's own `fetch`
 */
export function connectionFault(signs: string, text: string, isUnsent: boolean, url?: string): Fault {
  const words =
    /client error \(Connect\)|bad port|ports? \d+ (is|are) blocked|invalid peer certificate|dns error|HTTPParserError/;
  const told = words.test(text) ? `${text} ${signs}` : signs;
  const [, ...known] = faults.find(([pattern]) => pattern.test(told)) ?? [undefined, ...lost];
  const [code] = known;
  if (isUnsent && code === "connection_lost") return notMade;
  return url && code === "connect_failed" && blocked.test(new URL(url).port) ? portBlocked : known;
}
