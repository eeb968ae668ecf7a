import { decodeBase64 } from "./base64-strict.ts";

/** More than any rotation needs; each one costs a comparison for every secret. */
const mostSignatures = 16;

/** A version, a comma, and visible ASCII without another comma. */
const shape = /^[\w-]+,[\x21-\x2b\x2d-\x7e]+$/;
const v1 = "v1,";

/**
 * The 32 bytes of every `v1,<base64>` in a list separated by single spaces. Signatures of other versions, such as `v1a`, are
 * passed over. Anything that is no such list, or holds no `v1` signature, is undefined.
 */
export function parseWebhookSignature(text: string): readonly [Buffer, ...Buffer[]] | undefined {
  const entries = text.split(" ", mostSignatures + 1);
  if (entries.length > mostSignatures || !entries.every((entry) => shape.test(entry))) return undefined;
  const signatures: Buffer[] = [];
  for (const entry of entries.filter((each) => each.startsWith(v1))) {
    const signature = decodeBase64(entry.slice(v1.length));
    if (signature?.length !== 32) return undefined;
    signatures.push(signature);
  }
  const [first, ...others] = signatures;
  return first && [first, ...others];
}

/**
 * Whether two headers were joined into one with a comma, as some runtimes do: `v1,… v1,…` has one comma in each entry and never
 * begins with it, `v1,…, v1,…` and `v1,…,v1,…` do not.
 */
export const isJoined = (text: string): boolean =>
  text.split(" ").some((entry) => entry.startsWith(",") || entry.indexOf(",") !== entry.lastIndexOf(","));
