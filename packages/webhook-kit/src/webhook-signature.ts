import { decodeBase64 } from "./canonical-base64.ts";

/** More than any rotation needs; each one costs a comparison for every secret. */
const mostSignatures = 16;

/**
 * The 32 bytes of every `v1,<base64>` in a list separated by single spaces. Signatures of other versions, such as `v1a`, are
 * passed over. Anything that is no such list, or holds no `v1` signature, is undefined.
 */
export function parseWebhookSignature(text: string): readonly [Buffer, ...Buffer[]] | undefined {
  const [first, ...others] = readSignatures(text) ?? [];
  return first && [first, ...others];
}

function readSignatures(text: string): Buffer[] | undefined {
  const entries = text.split(" ", mostSignatures + 1);
  if (entries.length > mostSignatures) return undefined;
  const signatures: Buffer[] = [];
  for (const entry of entries) {
    const [, version, value] = /^([\w-]+),([\x21-\x2b\x2d-\x7e]+)$/.exec(entry) ?? [];
    if (version === undefined || value === undefined) return undefined;
    if (version !== "v1") continue;
    const signature = decodeBase64(value);
    if (signature?.length !== 32) return undefined;
    signatures.push(signature);
  }
  return signatures;
}

/**
 * Whether two headers were joined into one with a comma, as some runtimes do: `v1,… v1,…` has one comma in each entry and never
 * begins with it, `v1,…, v1,…` and `v1,…,v1,…` do not.
 */
export const isJoined = (text: string): boolean =>
  text.split(" ").some((entry) => entry.startsWith(",") || entry.indexOf(",") !== entry.lastIndexOf(","));
