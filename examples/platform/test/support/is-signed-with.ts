import { createHash } from "node:crypto";
import type { ReceivedRequest } from "./receiver.ts";

/** Returns whether the request has the documented digest of the timestamp string and the secret. Shares no code with the platform. */
export function isSignedWith(secret: string, { headers }: ReceivedRequest): boolean {
  const digest = createHash("sha256").update(`${headers.timestamp}${secret}`).digest("hex").toUpperCase();
  return headers.authorization === `hmac ${digest}`;
}
