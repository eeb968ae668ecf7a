import type { FetchResponse } from "../fetch.ts";

/** What Node's zlib throws of a result that exceeds its bound, what `./node` throws, and undici's own limit. */
const tooLarge = /BUFFER_TOO_LARGE|EXCEEDED_MAX_SIZE|STRING_TOO_LONG/;

/** The body's text, decoded and unpacked; undefined, with the connection given up, when it exceeds `mostBytes` (D-98). */
export async function readText(response: FetchResponse, mostBytes: number): Promise<string | undefined> {
  const body: ReadableStream<Uint8Array> | null | undefined = Reflect.get(response, "body");
  const length = response.headers.get("content-length");
  if (Number(length) > mostBytes) {
    body?.cancel?.().catch(() => {});
    return undefined;
  }
  // What has a length and is not packed can't be longer than that: the runtime reads it faster.
  if (body?.getReader && (length === null || response.headers.get("content-encoding")))
    return readStream(body.getReader(), mostBytes);
  try {
    const text = await response.text();
    return text.length > mostBytes ? undefined : text;
  } catch (thrown) {
    const { code, cause } = Object(thrown);
    if (tooLarge.test(`${code} ${cause?.code}`)) return undefined;
    throw thrown;
  }
}

async function readStream(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  mostBytes: number,
): Promise<string | undefined> {
  const decoder = new TextDecoder();
  let text = "";
  for (let bytes = 0; ; ) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    bytes += value.byteLength;
    if (bytes > mostBytes) {
      reader.cancel().catch(() => {});
      return undefined;
    }
    text += decoder.decode(value, { stream: true });
  }
}
