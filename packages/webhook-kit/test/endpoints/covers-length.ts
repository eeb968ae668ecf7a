import type { SignatureScheme } from "../../src/index.ts";
import { timestampDigest } from "../../src/signature/timestamp-digest.ts";

/** A scheme of a user's own that covers the body, with the length of `payload` as the poorest of signatures. */
export const coversLength = (payload: unknown): SignatureScheme => ({
  ...timestampDigest(),
  name: "covers-length",
  challenge: "covers-length",
  coversBody: true,
  verify: (claim, secrets, body) =>
    body?.length === Buffer.byteLength(JSON.stringify(payload))
      ? timestampDigest().verify(claim, secrets, body)
      : undefined,
});
