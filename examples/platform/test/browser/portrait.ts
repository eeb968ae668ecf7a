import { crc32, deflateSync } from "node:zlib";

const size = 96;

/** Generates a PNG that shows a head and shoulders on a background of this colour. */
export function generatePortrait(red: number, green: number, blue: number): Buffer {
  const rows: number[] = [];
  for (let y = 0; y < size; y += 1) {
    // Each row starts with its filter type; 0 means no filter.
    rows.push(0);
    for (let x = 0; x < size; x += 1) {
      const brightness = brightnessAt(x, y);
      rows.push(...[red, green, blue].map((channel) => Math.round(channel * brightness)));
    }
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(size, 0);
  header.writeUInt32BE(size, 4);
  // Eight bits per channel: red, green and blue.
  header.set([8, 2], 8);
  const signature = Buffer.from("89504e470d0a1a0a", "hex");
  const data = deflateSync(Buffer.from(rows));
  return Buffer.concat([
    signature,
    encodeChunk("IHDR", header),
    encodeChunk("IDAT", data),
    encodeChunk("IEND", Buffer.alloc(0)),
  ]);
}

/** Returns the brightness of a pixel: the head and the shoulders are darker than the background. */
function brightnessAt(x: number, y: number): number {
  const isHead = Math.hypot(x - size / 2, y - 38) < 19;
  if (isHead) return 0.42;
  const isBody = Math.hypot((x - size / 2) / 1.2, y - size) < 32;
  return isBody ? 0.62 : 1 - y / size / 5;
}

/** Encodes a PNG chunk: the data's length, the type, the data, and a checksum of the type and the data. */
function encodeChunk(type: string, data: Buffer): Buffer {
  const typeAndData = Buffer.concat([Buffer.from(type), data]);
  const encoded = Buffer.alloc(typeAndData.length + 8);
  encoded.writeUInt32BE(data.length);
  encoded.set(typeAndData, 4);
  encoded.writeUInt32BE(crc32(typeAndData), typeAndData.length + 4);
  return encoded;
}
