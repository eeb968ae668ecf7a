import type { SignatureScheme } from "../../src/index.ts";
import { timestampDigest } from "../../src/signature/timestamp-digest.ts";

/** A scheme of a user's own that covers the body, with the length of `payload` as the poorest of signatures. */
export const coversLength = (payload: unknown): SignatureScheme => ({
  ...timestampDigest(),
  name: "covers-length",
  wwwAuthenticate: "covers-length",
  signsBody: true,
  verify: (acquire, secrets, body) =>
    body?.length === Buffer.byteLength(JSON.stringify(payload))
      ? timestampDigest().verify(acquire, secrets, body)
      : undefined,
});
