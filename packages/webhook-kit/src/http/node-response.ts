import type { IncomingMessage, ServerResponse } from "node:http";
import type { Http2ServerResponse } from "node:http2";
import type { WebhookResponse } from "./response.ts";

/** Draining an unread body of up to this many bytes is cheaper than replacing the connection. */
const maxDrainBytes = 16_384;

/** How long a sender may take to receive the response before its connection is closed. */
const closeDelayMs = 1_000;

/** Writes a response without reading the rest of the request's body. */
export function writeNodeResponse(
  request: IncomingMessage,
  response: ServerResponse | Http2ServerResponse,
  { status, headers, body }: WebhookResponse,
): void {
  if (response.headersSent || response.destroyed) return;
  if ("stream" in response) {
    const { stream } = response;
    // HTTP/2 has no connection header: a reset with NO_ERROR after the response's last frame stops the sender (RFC 9113, 8.1). Node writes
    // that frame, which may contain trailers, in the turn after this event; an earlier reset would cut the response off.
    if (hasLongUnreadBody(request)) stream.once("wantTrailers", () => setImmediate(() => stream.close()));
    response.writeHead(status, headers).end(body);
    return;
  }
  if (!hasLongUnreadBody(request)) {
    // Not chained, because serverless-http's `writeHead` returns undefined.
    response.writeHead(status, headers);
    response.end(body);
    return;
  }
  // Node reads the rest of a request after its response has ended, and closing a connection while bytes arrive loses the response. So the
  // whole response is written first, and the connection is closed when the sender hangs up or runs out of time.
  response.writeHead(status, { ...headers, connection: "close" });
  response.flushHeaders();
  if (request.method !== "HEAD" && body !== "") response.write(body);
  const timer = setTimeout(() => request.destroy(), closeDelayMs);
  response.once("close", () => clearTimeout(timer));
}

/** Reports the error and closes the connection if `work` rejects, because an unhandled rejection would crash the process. */
export function closeOnFailure(
  response: ServerResponse | Http2ServerResponse,
  work: Promise<void>,
  report: (cause: unknown) => void,
): void {
  work.catch((cause) => {
    report(cause);
    response.destroy();
  });
}

function hasLongUnreadBody(request: IncomingMessage): boolean {
  if (request.complete) return false;
  // If `readableFlowing` is a boolean, reading was cut off because the body was too long or too slow.
  if (typeof request.readableFlowing === "boolean") return true;
  // A chunked body does not declare its length.
  if (request.headers["transfer-encoding"] !== undefined) return true;
  return Number(request.headers["content-length"] ?? 0) > maxDrainBytes;
}

/** Calls `report` if whatever responds after the receiver ends the response as a 404. */
export function onNotFound(response: ServerResponse | Http2ServerResponse, report: () => void): void {
  response.once("finish", () => {
    if (response.statusCode === 404) report();
  });
}
