import * as crypto from "node:crypto";

/**
 * Returns the SHA-256 as a string: 64 hexadecimal digits, or 43 base64url characters. `crypto.hash` is much faster than `createHash`, but
 * not every runtime has it.
 */
export const sha256: (data: string | Uint8Array, encoding?: "hex" | "base64url") => string =
  typeof crypto.hash === "function"
    ? (data, encoding = "hex") => crypto.hash("sha256", data, encoding)
    : (data, encoding = "hex") => crypto.createHash("sha256").update(data).digest(encoding);
