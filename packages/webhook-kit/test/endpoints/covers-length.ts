import type { SignatureScheme } from "../../src/index.ts";
import { timestampDigest } from "../../src/signature/timestamp-digest.ts";

/** Creates a user's scheme that covers the body: its signature is just the length of `payload`. */
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
