import { createHash } from "node:crypto";
import type { ReceivedRequest } from "./receiver.ts";

/** Returns whether `Authorization` has the documented digest of the `Timestamp` header and the secret. Shares no code with the platform. */
export function isSignedWith(secret: string, { headers }: ReceivedRequest): boolean {
  const digest = createHash("sha256").update(`${headers.timestamp}${secret}`).digest("hex").toUpperCase();
  return headers.authorization === `hmac ${digest}`;
}
