import { createHash } from "node:crypto";
import type { ReceivedRequest } from "./receiver.ts";

/** Checks the documented digest, SHA-256 of the timestamp string and the secret, without using our code. */
export function isSignedWith(secret: string, { headers }: ReceivedRequest): boolean {
  const digest = createHash("sha256").update(`${headers.timestamp}${secret}`).digest("hex").toUpperCase();
  return headers.authorization === `hmac ${digest}`;
}
