import { readFileSync } from "node:fs";

/**
 * Reads a text file in UTF-8, or in UTF-16 with a byte order mark, as PowerShell writes it. The result has no byte order mark.
 *
 * @throws an error with a code if the file cannot be read, or is in another encoding
 */
export function readTextFile(file: string): string {
  const bytes = readFileSync(file);
  const text = new TextDecoder(detectEncoding(bytes), { fatal: true }).decode(bytes);
  // Without a byte order mark, every second byte of most UTF-16 texts is 0.
  if (text.includes("\0")) throw Object.assign(new Error("The file is not in UTF-8."), { code: "not UTF-8" });
  return text;
}

function detectEncoding([first, second]: Uint8Array): string {
  if (first === 0xff && second === 0xfe) return "utf-16le";
  return first === 0xfe && second === 0xff ? "utf-16be" : "utf-8";
}
