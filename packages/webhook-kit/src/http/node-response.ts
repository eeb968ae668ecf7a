import type { IncomingMessage, ServerResponse } from "node:http";
import type { Answer } from "./response.ts";

/** An unread body of at most this many bytes is cheaper to let through than a connection is to replace. */
const drainedBytes = 16_384;

/** How long a sender has to take the answer in before its connection is cut. */
const lingerMs = 1_000;

/** Writes an answer, without reading a body that nobody asked for. */
export function writeNodeAnswer(request: IncomingMessage, response: ServerResponse, answer: Answer): void {
  if (response.headersSent || response.destroyed) return;
  if (!hasLongUnreadBody(request)) {
    response.writeHead(answer.status, answer.headers).end(answer.body);
    return;
  }
  // Node reads the rest of a request once its response has ended, and a connection cut with bytes on their way loses the
  // answer. So the whole answer goes out first, and the response ends when the sender has hung up or has had its time.
  response.writeHead(answer.status, { ...answer.headers, connection: "close" });
  response.flushHeaders();
  if (request.method !== "HEAD" && answer.body !== "") response.write(answer.body);
  const timer = setTimeout(() => request.destroy(), lingerMs);
  response.once("close", () => clearTimeout(timer));
}

function hasLongUnreadBody(request: IncomingMessage): boolean {
  if (request.complete) return false;
  // Reading was broken off: the body was too long, or too slow.
  if (request.readableFlowing !== null) return true;
  if (request.headers["transfer-encoding"] !== undefined) return true;
  return Number(request.headers["content-length"] ?? 0) > drainedBytes;
}
