import * as crypto from "node:crypto";

/**
 * SHA-256 as 64 hexadecimal digits. One call of `crypto.hash` that returns text costs a quarter of `createHash`, but not every
 * runtime has it.
 */
export const sha256: (data: string | Uint8Array) => string =
  typeof crypto.hash === "function"
    ? (data) => crypto.hash("sha256", data, "hex")
    : (data) => crypto.createHash("sha256").update(data).digest("hex");
