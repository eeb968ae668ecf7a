import { decodeBase64 } from "./base64-strict.ts";

const prefix = "whsec_";

/** The key's bytes in `whsec_<base64>`, or in base64 alone; undefined for text that is neither, or holds no byte at all. */
export function decodeStandardWebhooksKey(secret: string): Buffer | undefined {
  const key = decodeBase64(secret.startsWith(prefix) ? secret.slice(prefix.length) : secret);
  return key?.length ? key : undefined;
}
