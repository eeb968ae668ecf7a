import type { IncomingMessage } from "node:http";

/**
 * The headers of a request as name, value, name, value. Adapters that make up requests, such as serverless-http and node-mocks-http, fill
 * only `headers`, where two headers of one name are a list or joined with a comma: both are read as sent twice.
 */
export function rawHeadersOf({
  rawHeaders,
  headers,
}: Pick<IncomingMessage, "headers" | "rawHeaders">): readonly string[] {
  if (rawHeaders?.length > 0) return rawHeaders;
  return Object.entries(headers).flatMap(([name, values]) => [values].flat().flatMap((value) => [name, String(value)]));
}
