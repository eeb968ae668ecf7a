import type { SignatureScheme } from "../../src/index.ts";
import { timestampDigest } from "../../src/signature/timestamp-digest.ts";

/** Creates a timestamp digest scheme that covers the body, but requires only that the body is as long as `payload` in JSON. */
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
