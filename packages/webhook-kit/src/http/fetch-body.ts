import { bodyConsumed } from "./body-consumed.ts";
import type { ReceivedBody } from "./incoming-request.ts";
import { Rejected, rejectRequest } from "./rejected.ts";

/** As much of a `Request` as is read. */
export type FetchRequest = Pick<Request, "body" | "bodyUsed" | "headers">;

/** Reads the body of a fetch request, as {@link IncomingRequest.readBody} says. */
export async function readFetchBody(request: FetchRequest, maxBytes: number, timeoutMs: number): Promise<ReceivedBody> {
  const { body } = request;
  if (request.bodyUsed || body?.locked) throw bodyConsumed();
  if (!body) return { kind: "bytes", bytes: new Uint8Array() };
  if (Number(request.headers.get("content-length") ?? 0) > maxBytes) throw rejectRequest("body_too_large");
  const reader = body.getReader();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(rejectRequest("body_timeout")), timeoutMs);
  });
  try {
    return { kind: "bytes", bytes: await Promise.race([readAll(reader, maxBytes), timeout]) };
  } catch (cause) {
    // The rest is not needed; a runtime that fails to cancel does not change the response.
    reader.cancel().catch(() => undefined);
    throw cause instanceof Rejected ? cause : rejectRequest("body_incomplete");
  } finally {
    clearTimeout(timer);
  }
}

async function readAll(reader: ReadableStreamDefaultReader<Uint8Array>, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    length += next.value.length;
    if (length > maxBytes) throw rejectRequest("body_too_large");
    chunks.push(next.value);
  }
  return join(chunks, length);
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
