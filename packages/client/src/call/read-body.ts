import type { FetchResponse } from "../http.ts";

/** Matches the error codes for a body that is too large, from Node's zlib and `node:http`, undici and V8. */
const tooLarge = /TOO_L(ARGE|ONG)|MAX_SIZE/;

/**
 * Reads the decompressed body as a string. If the body exceeds `maxBytes`, the response size limit, returns undefined and cancels the body,
 * which closes the connection (D-98).
 */
export async function readBody(
  response: FetchResponse & { readonly body?: ReadableStream<Uint8Array<ArrayBuffer>> | null },
  maxBytes: number,
): Promise<string | undefined> {
  const { body } = response;
  const contentLength = response.headers.get("content-length");
  if (Number(contentLength) > maxBytes) {
    body?.cancel?.().catch(() => {});
    return undefined;
  }
  try {
    // An uncompressed body cannot exceed its `Content-Length`, and Bun and Deno read it faster with `text()`.
    const canTrustLength = contentLength !== null && !response.headers.get("content-encoding");
    const reader = canTrustLength ? undefined : body?.getReader?.();
    if (!reader) {
      // Without a stream, only the number of characters is known, which is never more than the number of bytes.
      const text = await response.text();
      return text.length > maxBytes ? undefined : text;
    }
    const decoder = new TextDecoder();
    let text = "";
    let byteCount = 0;
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return text + decoder.decode();
      byteCount += value.byteLength;
      if (byteCount > maxBytes) {
        reader.cancel().catch(() => {});
        return undefined;
      }
      text += decoder.decode(value, { stream: true });
    }
  } catch (thrown) {
    const { code, cause } = Object(thrown);
    if (tooLarge.test(`${code} ${cause?.code}`)) return undefined;
    throw thrown;
  }
}
