import { bodyConsumed } from "./body-consumed.ts";
import type { ReceivedBody } from "./incoming-request.ts";
import { Rejected, rejectRequest } from "./rejected.ts";
import { withTimeout } from "./with-timeout.ts";

/** As much of a `Request` as is read. */
export type FetchRequest = Pick<Request, "body" | "bodyUsed" | "headers">;

/** Reads the body of a fetch request, as {@link IncomingRequest.readBody} says. */
export async function readFetchBody(request: FetchRequest, maxBytes: number, timeoutMs: number): Promise<ReceivedBody> {
  const { body } = request;
  if (request.bodyUsed || body?.locked) throw bodyConsumed();
  if (!body) return { kind: "bytes", bytes: Buffer.alloc(0) };
  if (Number(request.headers.get("content-length") ?? 0) > maxBytes) throw rejectRequest("body_too_large");
  const reader = body.getReader();
  try {
    const bytes = readAll(reader, maxBytes);
    return { kind: "bytes", bytes: await withTimeout(bytes, timeoutMs, () => rejectRequest("body_timeout")) };
  } catch (cause) {
    // The rest is not needed; a runtime that fails to cancel does not change the response.
    reader.cancel().catch(() => undefined);
    throw cause instanceof Rejected ? cause : rejectRequest("body_incomplete");
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
  return Buffer.concat(chunks);
}
