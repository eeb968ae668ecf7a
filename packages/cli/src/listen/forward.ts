import { type IncomingMessage, type RequestOptions, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { maxResponseBytes } from "../wire/exchange.ts";
import type { ReceiverUrl } from "../wire/receiver-url.ts";

/** The request to forward. */
export interface ForwardedRequest {
  method: string;
  /** The path with its query, as received. */
  target: string;
  rawHeaders: readonly string[];
  body: Buffer;
}

export interface ForwardedResponse {
  status: number;
  statusText: string;
  rawHeaders: string[];
  body: Buffer;
}

/** The headers that apply only to one connection: RFC 9110, section 7.6.1. */
const hopByHopHeaders = new Set([
  "connection",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** Matches the paths that the service calls below a base URL. */
const servicePathPattern =
  /\/(?:test(?:\/auth)?|contact\/new\/[^/]*|contact-suggestions|offer\/(?:response|eventDeleted)|events\/timelineChanged)$/;

/** Returns the path below the base URL if it is a path that the service calls, such as `/test`. Otherwise, returns the whole target. */
export const servicePathOf = (target: string): string =>
  servicePathPattern.exec(target.split("?")[0] ?? "")?.[0] ?? target;

/**
 * Returns the path to forward a request to. The sender may call the listener with or without the receiver's base path, so this adds the
 * base path only if it is missing.
 */
export function forwardedPath({ base }: ReceiverUrl, target: string): string {
  const path = target.split("?")[0] ?? "";
  const hasBase = servicePathPattern.test(path)
    ? path.replace(servicePathPattern, "") === base
    : `${path}/`.startsWith(`${base}/`);
  return hasBase ? target : `${base}${target}`;
}

/**
 * Forwards a request byte for byte: method, path, query, body, and the headers with their order and case. Changes only the base path, the
 * Host header, the connection headers and the framing of a chunked body (D-103).
 */
export function forward(
  receiver: ReceiverUrl,
  incoming: ForwardedRequest,
  timeoutMs: number,
): Promise<ForwardedResponse> {
  return new Promise((resolve, reject) => {
    const options: RequestOptions & { headers: string[] } = {
      // Node expects an IPv6 address without the brackets that it has in a URL.
      host: receiver.host.replace(/^\[|\]$/g, ""),
      port: receiver.port,
      method: incoming.method,
      agent: false,
      path: forwardedPath(receiver, incoming.target),
      headers: toForwardedHeaders(receiver, incoming),
      signal: AbortSignal.timeout(timeoutMs),
    };
    const outgoing = (receiver.isSecure ? requestHttps : requestHttp)(options, (response) => {
      readBody(response).then(
        (body) =>
          resolve({
            status: response.statusCode ?? 502,
            statusText: response.statusMessage ?? "",
            rawHeaders: removeHopByHopHeaders(toPairs(response.rawHeaders)).flat(),
            body,
          }),
        reject,
      );
    });
    outgoing.on("error", reject).end(incoming.body);
  });
}

function toForwardedHeaders(receiver: ReceiverUrl, { rawHeaders, body }: ForwardedRequest): string[] {
  const host = `${receiver.host}:${receiver.port}`;
  const receivedHeaders = toPairs(rawHeaders);
  const headers = removeHopByHopHeaders(receivedHeaders).map(
    ([name, value]): Header => (name.toLowerCase() === "host" ? [name, host] : [name, value]),
  );
  if (!hasHeader(headers, "host")) headers.unshift(["Host", host]);
  // A chunked body is forwarded with a Content-Length instead, because its chunk sizes have no meaning.
  if (hasHeader(receivedHeaders, "transfer-encoding") && !hasHeader(headers, "content-length"))
    headers.push(["Content-Length", String(body.length)]);
  return [...headers.flat(), "Connection", "close"];
}

type Header = [name: string, value: string];

/** Splits Node's flat list of headers into pairs of a name and a value. */
function toPairs(rawHeaders: readonly string[]): Header[] {
  const headers: Header[] = [];
  for (let index = 0; index < rawHeaders.length; index += 2)
    headers.push([rawHeaders[index] ?? "", rawHeaders[index + 1] ?? ""]);
  return headers;
}

const hasHeader = (headers: readonly Header[], lowerCaseName: string): boolean =>
  headers.some(([name]) => name.toLowerCase() === lowerCaseName);

/** Removes hop-by-hop headers, including the headers that the Connection header lists. */
function removeHopByHopHeaders(headers: readonly Header[]): Header[] {
  const listedNames = headers
    .filter(([name]) => name.toLowerCase() === "connection")
    .flatMap(([, value]) => value.split(","))
    .map((token) => token.trim().toLowerCase());
  return headers.filter(
    ([name]) => !hopByHopHeaders.has(name.toLowerCase()) && !listedNames.includes(name.toLowerCase()),
  );
}

async function readBody(response: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > maxResponseBytes) throw new Error("the response is larger than 4 MiB");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
