import type { CompressCallback, ZlibOptions } from "node:zlib";

type Decoder = "gunzip" | "inflate" | "inflateRaw" | "brotliDecompress" | "zstdDecompress";
type Decode = (bytes: Uint8Array, options: ZlibOptions, callback: CompressCallback) => void;

/** Returns the function of `node:zlib` for a coding, or undefined for an unknown one. */
function chooseDecoder(coding: string, bytes: Uint8Array): Decoder | undefined {
  if (coding === "gzip" || coding === "x-gzip") return "gunzip";
  // Some servers send raw deflate, without zlib's header.
  if (coding === "deflate") return ((bytes[0] ?? 0) & 0x0f) === 0x08 ? "inflate" : "inflateRaw";
  if (coding === "br") return "brotliDecompress";
  return coding === "zstd" ? "zstdDecompress" : undefined;
}

/**
 * Decodes a body as `fetch` does (D-166): an empty body is valid in every coding, an incomplete one ends early, and one with an unknown
 * coding is returned unchanged.
 *
 * @throws {RangeError} `ERR_BUFFER_TOO_LARGE` as soon as the result exceeds `maxBytes`
 */
export async function decode(bytes: Uint8Array, encoding: string | null, maxBytes: number): Promise<Uint8Array> {
  if (!encoding || bytes.byteLength === 0) return bytes;
  const zlib = process.getBuiltinModule("node:zlib");
  const { BROTLI_OPERATION_FLUSH, Z_SYNC_FLUSH, ZSTD_e_flush } = zlib.constants;
  let decoded = bytes;
  for (const coding of encoding.toLowerCase().split(",").reverse()) {
    const name = chooseDecoder(coding.trim(), decoded);
    if (!name) return bytes;
    const finishFlush = { brotliDecompress: BROTLI_OPERATION_FLUSH, zstdDecompress: ZSTD_e_flush }[name as string];
    const options: ZlibOptions = { finishFlush: finishFlush ?? Z_SYNC_FLUSH, maxOutputLength: maxBytes };
    const run = zlib[name] as Decode;
    const input = decoded;
    decoded = await new Promise<Uint8Array>((resolve, reject) =>
      run(input, options, (error, result) => (error ? reject(error) : resolve(result))),
    );
  }
  return decoded;
}
