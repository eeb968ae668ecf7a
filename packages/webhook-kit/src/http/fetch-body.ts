import type { Awaitable } from "../receive/after.ts";
import type { ReceivedBody } from "./incoming-request.ts";

/** As much of a `Request` as is read. */
export type FetchRequest = Pick<Request, "body" | "bodyUsed" | "headers">;

/**
 * The body of a fetch request, from its stream.
 *
 * @param maxBytes how long it may be (D-24)
 * @param timeoutMs how long it may take to arrive (D-17)
 */
export function readFetchBody(request: FetchRequest, maxBytes: number, timeoutMs: number): Awaitable<ReceivedBody> {
  const { body } = request;
  if (request.bodyUsed || body?.locked) return { kind: "consumed" };
  if (!body) return { kind: "bytes", bytes: new Uint8Array() };
  if (Number(request.headers.get("content-length") ?? 0) > maxBytes) return tooLarge;
  return readStream(body, maxBytes, timeoutMs);
}

const tooLarge = { kind: "refused", reason: "body_too_large" } as const;
const tooSlow = { kind: "refused", reason: "body_too_slow" } as const;
const incomplete = { kind: "refused", reason: "body_incomplete" } as const;

async function readStream(
  body: ReadableStream<Uint8Array>,
  maxBytes: number,
  timeoutMs: number,
): Promise<ReceivedBody> {
  const reader = body.getReader();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const overdue = new Promise<ReceivedBody>((resolve) => {
    timer = setTimeout(() => resolve(tooSlow), timeoutMs);
  });
  const received = await Promise.race([readAll(reader, maxBytes).catch(() => incomplete), overdue]);
  clearTimeout(timer);
  // Nobody will read the rest; a runtime that fails to hear so does not change the answer.
  if (received.kind === "refused") reader.cancel().catch(() => undefined);
  return received;
}

async function readAll(reader: ReadableStreamDefaultReader<Uint8Array>, maxBytes: number): Promise<ReceivedBody> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    length += next.value.length;
    if (length > maxBytes) return tooLarge;
    chunks.push(next.value);
  }
  return { kind: "bytes", bytes: join(chunks, length) };
}

function join(chunks: readonly Uint8Array[], length: number): Uint8Array {
  const [first] = chunks;
  if (first && chunks.length === 1) return first;
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}
