import type { IncomingMessage } from "node:http";
import { isBytes } from "@offers/contract/foreign-objects";
import { ConfigurationError } from "../errors/errors.ts";
import { createRejection, Rejected } from "./rejected.ts";
import type { ReceivedBody } from "./request.ts";
import { Deadlines, withTimeout } from "./timeouts.ts";

export const createBodyConsumedError = (): ConfigurationError =>
  new ConfigurationError(
    "body_already_consumed",
    "The body was consumed before it reached the webhook receiver, probably by a body parser such as express.json() or Fastify's own. Mount the receiver before the parser, or in Express have the parser keep the bytes as request.rawBody. In Fastify, mount it in a scope whose content-type parser leaves the body unread, as the Fastify recipe shows.",
  );

/** Wraps a body that is already in memory. @throws {Rejected} `body_too_large` */
export function wrapBytes(bytes: Uint8Array, maxBytes: number): ReceivedBody {
  if (bytes.length > maxBytes) throw createRejection("body_too_large");
  return { kind: "bytes", bytes };
}

/** A Node request, with the properties that a body parser may have set. */
export type NodeRequest = IncomingMessage & { readonly body?: unknown; readonly rawBody?: unknown };

/**
 * Reads a Node request's body, as {@link IncomingRequest.readBody} describes. If the stream was already consumed, returns the bytes that a
 * body parser stored in `rawBody`, or else the value that it parsed.
 */
export function readNodeBody(
  request: NodeRequest,
  maxBytes: number,
  timeoutMs: number,
): ReceivedBody | Promise<ReceivedBody> {
  // After setEncoding() the original bytes are gone, even if the stream is unread.
  if (typeof request.readableEncoding === "string") throw createBodyConsumedError();
  if (!isConsumed(request)) return readStream(request, maxBytes, timeoutMs);
  const { rawBody, body } = request;
  if (isBytes(rawBody)) return wrapBytes(rawBody, maxBytes);
  // Not necessarily the original bytes: if the body was not UTF-8, its signature does not match.
  if (typeof rawBody === "string") return wrapBytes(Buffer.from(rawBody), maxBytes);
  if (isBytes(body)) return wrapBytes(body, maxBytes);
  // Node itself consumes the rest of a cancelled HTTP/2 stream.
  if (body === undefined || body === null)
    throw request.aborted ? createRejection("body_incomplete") : createBodyConsumedError();
  // A plain-text body parser produces a string.
  return typeof body === "string" ? { kind: "bytes", bytes: Buffer.from(body) } : { kind: "parsed", value: body };
}

/** Whether the stream was consumed. A node-mocks-http request is not a stream, so only its parsed body can be read. */
const isConsumed = (request: NodeRequest): boolean =>
  typeof request.read !== "function" ||
  request.readableDidRead ||
  request.readableEnded ||
  request.readableFlowing === true;

function readStream(request: NodeRequest, maxBytes: number, timeoutMs: number): Promise<ReceivedBody> {
  // The sender has hung up, so the stream emits no more events.
  if (request.destroyed) return Promise.reject(createRejection("body_incomplete"));
  if (Number(request.headers["content-length"] ?? 0) > maxBytes)
    return Promise.reject(createRejection("body_too_large"));
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    let length = 0;
    const deadlines = Deadlines.of(timeoutMs);
    const fail = (code: "body_timeout" | "body_too_large" | "body_incomplete") => {
      deadlines.delete(onTimeout);
      request.pause();
      reject(createRejection(code));
    };
    const onTimeout = () => fail("body_timeout");
    const onData = (chunk: Uint8Array) => {
      length += chunk.length;
      if (length <= maxBytes) chunks.push(chunk);
      else fail("body_too_large");
    };
    const onEnd = () => {
      deadlines.delete(onTimeout);
      const [first] = chunks;
      resolve({ kind: "bytes", bytes: first && chunks.length === 1 ? first : Buffer.concat(chunks) });
    };
    const onClose = () => {
      if (!request.readableEnded) fail("body_incomplete");
    };
    deadlines.add(onTimeout);
    // The listeners are not removed, because the request is discarded soon, and they have no effect once the body has ended or failed.
    request.on("data", onData).on("end", onEnd).on("close", onClose).on("error", onClose);
    // A stream that was paused earlier does not start flowing just because it has a listener.
    request.resume();
  });
}

/** The part of a `Request` that the kit reads. */
type FetchRequest = Pick<Request, "body" | "bodyUsed" | "headers">;

/** Reads a fetch Request's body, as {@link IncomingRequest.readBody} describes. */
export async function readFetchBody(request: FetchRequest, maxBytes: number, timeoutMs: number): Promise<ReceivedBody> {
  const { body } = request;
  if (request.bodyUsed || body?.locked) throw createBodyConsumedError();
  if (!body) return { kind: "bytes", bytes: Buffer.alloc(0) };
  if (Number(request.headers.get("content-length") ?? 0) > maxBytes) throw createRejection("body_too_large");
  const reader = body.getReader();
  try {
    const bytes = readAll(reader, maxBytes);
    return { kind: "bytes", bytes: await withTimeout(bytes, timeoutMs, () => createRejection("body_timeout")) };
  } catch (cause) {
    // The rest of the body is not needed. If cancelling fails, the response does not change.
    reader.cancel().catch(() => undefined);
    throw cause instanceof Rejected ? cause : createRejection("body_incomplete");
  }
}

async function readAll(reader: ReadableStreamDefaultReader<Uint8Array>, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    length += next.value.length;
    if (length > maxBytes) throw createRejection("body_too_large");
    chunks.push(next.value);
  }
  return Buffer.concat(chunks);
}

/**
 * Returns a request's headers as name, value, name, value. Adapters that simulate requests, such as serverless-http and node-mocks-http,
 * set only `headers`, where a repeated header is a list or joined with a comma. Both count as sent twice.
 */
export function getRawHeaders({
  rawHeaders,
  headers,
}: Pick<IncomingMessage, "headers" | "rawHeaders">): readonly string[] {
  if (rawHeaders?.length > 0) return rawHeaders;
  return Object.entries(headers).flatMap(([name, values]) => [values].flat().flatMap((value) => [name, String(value)]));
}
