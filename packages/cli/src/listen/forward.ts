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

/** Returns the path below the base URL if the service calls it, otherwise the whole target. */
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
 * Forwards a request byte for byte: method, path, query, body, and the headers with their order and case. Replaces only the Host header and
 * the connection headers (D-103).
 */
export function forward(
  receiver: ReceiverUrl,
  incoming: ForwardedRequest,
  timeoutMs: number,
): Promise<ForwardedResponse> {
  return new Promise((resolve, reject) => {
    const options: RequestOptions & { headers: string[] } = {
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
            rawHeaders: removeHopByHopHeaders(response.rawHeaders),
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
  const endToEndHeaders = removeHopByHopHeaders(rawHeaders);
  const names = endToEndHeaders.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase());
  const headers = endToEndHeaders.map((text, index) =>
    index % 2 === 1 && endToEndHeaders[index - 1]?.toLowerCase() === "host" ? host : text,
  );
  if (!names.includes("host")) headers.unshift("Host", host);
  // A chunked body is forwarded with a Content-Length instead, because its chunk sizes have no meaning.
  const isChunked = rawHeaders.some((text, index) => index % 2 === 0 && text.toLowerCase() === "transfer-encoding");
  if (isChunked && !names.includes("content-length")) headers.push("Content-Length", String(body.length));
  return [...headers, "Connection", "close"];
}

/** Removes hop-by-hop headers, including those that the Connection header lists. */
function removeHopByHopHeaders(rawHeaders: readonly string[]): string[] {
  const listedNames = rawHeaders.flatMap((value, index) =>
    index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === "connection"
      ? value.split(",").map((token) => token.trim().toLowerCase())
      : [],
  );
  return rawHeaders.filter((_, index) => {
    const name = (rawHeaders[index - (index % 2)] ?? "").toLowerCase();
    return !hopByHopHeaders.has(name) && !listedNames.includes(name);
  });
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
