import { promisify } from "node:util";
import { brotliDecompress, gunzip, inflate } from "node:zlib";

const ways = new Map([
  ["gzip", promisify(gunzip)],
  ["x-gzip", promisify(gunzip)],
  ["deflate", promisify(inflate)],
  ["br", promisify(brotliDecompress)],
]);

/**
 * Decodes `Content-Encoding`, the last first. Like `fetch`, it leaves the bytes of an unknown encoding unchanged.
 *
 * @throws {RangeError} `ERR_BUFFER_TOO_LARGE` as soon as the result exceeds `mostBytes` (D-98)
 */
export async function decompress(bytes: Uint8Array, encoding: string, mostBytes: number): Promise<Uint8Array> {
  let plain = bytes;
  for (const name of encoding.toLowerCase().split(",").reverse()) {
    const undo = ways.get(name.trim());
    if (!undo) return plain;
    plain = await undo(plain, { maxOutputLength: mostBytes });
  }
  return plain;
}
