/** Raster formats. Not SVG, which may contain scripts. */
const signatures: readonly (readonly [type: string, fits: (bytes: Buffer) => boolean])[] = [
  ["image/png", (bytes) => bytes.subarray(0, 8).equals(Buffer.from("\x89PNG\r\n\x1a\n", "latin1"))],
  ["image/jpeg", (bytes) => bytes.subarray(0, 3).equals(Buffer.from([0xff, 0xd8, 0xff]))],
  ["image/gif", (bytes) => /^GIF8[79]a$/.test(text(bytes, 0, 6))],
  ["image/webp", (bytes) => text(bytes, 0, 4) === "RIFF" && text(bytes, 8, 12) === "WEBP"],
  ["image/avif", (bytes) => text(bytes, 4, 8) === "ftyp" && brandsOf(bytes).some((brand) => /^avi[fs]$/.test(brand))],
];

/** The media type by magic number; undefined for an unsupported format. */
export const imageTypeOf = (bytes: Buffer): string | undefined => signatures.find(([, fits]) => fits(bytes))?.[0];

const text = (bytes: Buffer, start: number, end: number): string => bytes.toString("latin1", start, end);

/** The major and the compatible brands of an ISO base media file (ISO/IEC 14496-12). */
function brandsOf(bytes: Buffer): string[] {
  const boxEnd = Math.min(bytes.length >= 4 ? bytes.readUInt32BE(0) : 0, bytes.length, 128);
  const brands = [text(bytes, 8, 12)];
  for (let at = 16; at + 4 <= boxEnd; at += 4) brands.push(text(bytes, at, at + 4));
  return brands;
}
