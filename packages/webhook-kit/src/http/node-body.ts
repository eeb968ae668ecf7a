import type { IncomingMessage } from "node:http";
import type { Awaitable } from "../receive/after.ts";
import { Deadlines } from "./deadlines.ts";
import type { ReceivedBody } from "./incoming-request.ts";

/** A Node request, and what a body parser in front may have left on it. */
export type NodeRequest = IncomingMessage & { readonly body?: unknown; readonly rawBody?: unknown };

/**
 * The body of a Node request: from the stream where nobody has read it yet, else the bytes that a parser kept as `rawBody`,
 * else what it parsed.
 *
 * @param maxBytes how long it may be (D-24)
 * @param timeoutMs how long it may take to arrive (D-17)
 */
export function readNodeBody(request: NodeRequest, maxBytes: number, timeoutMs: number): Awaitable<ReceivedBody> {
  // Somebody in front asked for text: the bytes that were sent are gone, though the stream is not.
  if (request.readableEncoding !== null) return { kind: "consumed" };
  if (!isConsumed(request)) return readStream(request, maxBytes, timeoutMs);
  const { rawBody, body } = request;
  const bytes = rawBody instanceof Uint8Array ? rawBody : body instanceof Uint8Array ? body : undefined;
  if (bytes) return bytes.length > maxBytes ? tooLarge : { kind: "bytes", bytes };
  if (body === undefined || body === null) return { kind: "consumed" };
  // A text parser leaves the text.
  return typeof body === "string" ? { kind: "bytes", bytes: Buffer.from(body) } : { kind: "parsed", value: body };
}

const isConsumed = (request: NodeRequest): boolean =>
  request.readableDidRead || request.readableEnded || request.readableFlowing === true;

const incomplete = { kind: "refused", reason: "body_incomplete" } as const;
const tooLarge = { kind: "refused", reason: "body_too_large" } as const;

function readStream(request: NodeRequest, maxBytes: number, timeoutMs: number): Awaitable<ReceivedBody> {
  // The sender hung up before anybody listened: no event will come any more.
  if (request.destroyed) return incomplete;
  if (Number(request.headers["content-length"] ?? 0) > maxBytes) return tooLarge;
  return new Promise((resolve) => {
    const chunks: Uint8Array[] = [];
    let length = 0;
    let isSettled = false;
    // The listeners stay: to take four off costs more than to let them fall silent, and the request goes soon.
    const settle = (body: ReceivedBody) => {
      if (isSettled) return;
      isSettled = true;
      deadlines.delete(onDeadline);
      resolve(body);
    };
    const breakOff = (reason: "body_too_large" | "body_too_slow") => {
      request.pause();
      settle({ kind: "refused", reason });
    };
    const onData = (chunk: Uint8Array) => {
      if (isSettled) return;
      length += chunk.length;
      if (length > maxBytes) breakOff("body_too_large");
      else chunks.push(chunk);
    };
    const onEnd = () => {
      const [first] = chunks;
      settle({ kind: "bytes", bytes: chunks.length === 1 && first ? first : Buffer.concat(chunks) });
    };
    const onBreak = () => settle(incomplete);
    const onDeadline = () => breakOff("body_too_slow");
    const deadlines = Deadlines.after(timeoutMs);
    deadlines.add(onDeadline);
    request.on("data", onData).on("end", onEnd).on("close", onBreak).on("error", onBreak);
    // A stream that somebody in front paused does not flow for a listener alone.
    request.resume();
  });
}
