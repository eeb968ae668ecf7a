import type { SignatureScheme } from "../../src/index.ts";
import { timestampDigest } from "../../src/signature/timestamp-digest.ts";

/** Creates a custom scheme that covers the body, but checks only that it is as long as `payload`. */
export const createLengthScheme = (payload: unknown): SignatureScheme => ({
  ...timestampDigest(),
  name: "covers-length",
  wwwAuthenticate: "covers-length",
  signsBody: true,
  verify: (parsed, secrets, body) =>
    body?.length === Buffer.byteLength(JSON.stringify(payload))
      ? timestampDigest().verify(parsed, secrets, body)
      : undefined,
});
