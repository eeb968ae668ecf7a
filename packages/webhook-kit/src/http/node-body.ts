import type { IncomingMessage } from "node:http";
import { bodyConsumed } from "./body-consumed.ts";
import type { ReceivedBody } from "./incoming-request.ts";
import { rejectRequest } from "./rejected.ts";
import { withTimeout } from "./with-timeout.ts";

/** A Node request, and what a body parser in front may have left on it. */
export type NodeRequest = IncomingMessage & { readonly body?: unknown; readonly rawBody?: unknown };

/**
 * Reads the body of a Node request, as {@link IncomingRequest.readBody} says: from the stream if it is unread, else the bytes
 * that a parser kept as `rawBody`, else the value that it parsed.
 */
export async function readNodeBody(request: NodeRequest, maxBytes: number, timeoutMs: number): Promise<ReceivedBody> {
  // After setEncoding() the sent bytes are gone, though the stream is unread.
  if (request.readableEncoding !== null) throw bodyConsumed();
  if (!isConsumed(request)) return { kind: "bytes", bytes: await readStream(request, maxBytes, timeoutMs) };
  const { rawBody, body } = request;
  const bytes = rawBody instanceof Uint8Array ? rawBody : body instanceof Uint8Array ? body : undefined;
  if (bytes && bytes.length > maxBytes) throw rejectRequest("body_too_large");
  if (bytes) return { kind: "bytes", bytes };
  if (body === undefined || body === null) throw bodyConsumed();
  // A text parser leaves the text.
  return typeof body === "string" ? { kind: "bytes", bytes: Buffer.from(body) } : { kind: "parsed", value: body };
}

const isConsumed = (request: NodeRequest): boolean =>
  request.readableDidRead || request.readableEnded || request.readableFlowing === true;

async function readStream(request: NodeRequest, maxBytes: number, timeoutMs: number): Promise<Uint8Array> {
  // The sender has hung up: no event will come any more.
  if (request.destroyed) throw rejectRequest("body_incomplete");
  if (Number(request.headers["content-length"] ?? 0) > maxBytes) throw rejectRequest("body_too_large");
  const bytes = new Promise<Uint8Array>((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    let length = 0;
    const onData = (chunk: Uint8Array) => {
      length += chunk.length;
      if (length <= maxBytes) chunks.push(chunk);
      else reject(rejectRequest("body_too_large"));
    };
    const onEnd = () => resolve(Buffer.concat(chunks));
    const onBreak = () => {
      if (!request.readableEnded) reject(rejectRequest("body_incomplete"));
    };
    request.on("data", onData).on("end", onEnd).on("close", onBreak).on("error", onBreak);
    // A stream that was paused in front does not flow for a listener alone.
    request.resume();
  });
  try {
    return await withTimeout(bytes, timeoutMs, () => rejectRequest("body_timeout"));
  } catch (cause) {
    request.pause();
    throw cause;
  }
}
