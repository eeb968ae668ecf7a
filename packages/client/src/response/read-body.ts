import type { FetchResponse } from "../http/fetch-response.ts";

/** What Node's zlib throws of a result that exceeds its bound, what `./node` throws, and undici's own limit. */
const tooLarge = /BUFFER_TOO_LARGE|EXCEEDED_MAX_SIZE|STRING_TOO_LONG/;

/** For text that is decoded whole, which leaves no state behind. */
const utf8 = new TextDecoder();

/** The body's text, decoded and unpacked; undefined, with the connection given up, when it exceeds `mostBytes` (D-98). */
export async function readBody(
  response: FetchResponse & { readonly body?: ReadableStream<Uint8Array> | null },
  mostBytes: number,
): Promise<string | undefined> {
  const { body } = response;
  const length = response.headers.get("content-length");
  if (Number(length) > mostBytes) {
    body?.cancel?.().catch(() => {});
    return undefined;
  }
  try {
    // What has a length and is not packed can't be longer than that: Bun and Deno read it faster.
    if (!body?.getReader || (length !== null && !response.headers.get("content-encoding"))) {
      const text = await response.text();
      return text.length > mostBytes ? undefined : text;
    }
    const reader = body.getReader();
    // Most bodies come in one piece, and need no decoder of their own.
    let decoder = utf8;
    let text = "";
    let last: Uint8Array | undefined;
    for (let bytes = 0; ; ) {
      const { done, value } = await reader.read();
      if (done) return text + decoder.decode(last);
      bytes += value.byteLength;
      if (bytes > mostBytes) {
        reader.cancel().catch(() => {});
        return undefined;
      }
      if (last) {
        if (decoder === utf8) decoder = new TextDecoder();
        text += decoder.decode(last, { stream: true });
      }
      last = value;
    }
  } catch (thrown) {
    const { code, cause } = Object(thrown);
    if (tooLarge.test(`${code} ${cause?.code}`)) return undefined;
    throw thrown;
  }
}
