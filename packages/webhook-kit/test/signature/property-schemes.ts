import { fc } from "../../../../scripts/property-seed.ts";
import type { SignatureScheme } from "../../src/signature/signature-scheme.ts";
import { standardWebhooks } from "../../src/signature/standard-webhooks.ts";
import { timestampDigest } from "../../src/signature/timestamp-digest.ts";

type SyncScheme = SignatureScheme<Readonly<Record<string, string>>>;

/** A built-in scheme, for property tests. */
export interface SchemeCase {
  readonly name: string;
  /** The scheme with each of its options. */
  readonly variants: readonly [SyncScheme, ...SyncScheme[]];
  /** The names of the headers that the scheme reads, in lower case. */
  readonly names: readonly [string, ...string[]];
  /** Generates every type of secret that the scheme accepts. */
  readonly secret: fc.Arbitrary<string>;
  isSameKey(a: string, b: string): boolean;
}

/** Generates secrets without control characters, lone surrogates or surrounding white space. */
const plainSecret = fc
  .string({ unit: "grapheme", minLength: 16, maxLength: 60 })
  .filter((text) => text.trim() === text && !/[\p{Cc}\p{Cs}]/u.test(text));

const whsec = fc
  .tuple(fc.constantFrom("", "whsec_"), fc.uint8Array({ minLength: 12, maxLength: 70 }))
  .map(([prefix, key]) => prefix + Buffer.from(key).toString("base64"));

/** Returns the key of a secret in hexadecimal, without trailing zero bytes. HMAC pads keys with zeros, so they make no difference. */
const keyAsHex = (secret: string): string =>
  Buffer.from(secret.replace("whsec_", ""), "base64")
    .toString("hex")
    .replace(/(?:00)+$/, "");

export const schemes: readonly [SchemeCase, SchemeCase] = [
  {
    name: "timestampDigest",
    variants: [timestampDigest(), timestampDigest({ variant: "sha256" }), timestampDigest({ variant: "hmac" })],
    names: ["timestamp", "authorization"],
    secret: plainSecret,
    isSameKey: (a, b) => a === b,
  },
  {
    name: "standardWebhooks",
    variants: [standardWebhooks()],
    names: ["webhook-id", "webhook-timestamp", "webhook-signature"],
    secret: whsec,
    isSameKey: (a, b) => keyAsHex(a) === keyAsHex(b),
  },
];

/** Lists headers as pairs of a name and a value. */
export const headerPairs = (headers: Readonly<Record<string, string>>): [name: string, value: string][] =>
  Object.entries(headers);

/** Returns the rejection code if the scheme cannot parse the headers, and the result of its `verify` function if it can. */
export function verify(
  scheme: SignatureScheme,
  rawHeaders: readonly string[],
  secrets: readonly string[],
  body: Uint8Array | undefined,
): unknown {
  const parsed = scheme.parse(rawHeaders);
  return "code" in parsed ? parsed.code : scheme.verify(parsed, secrets, body);
}

/** Returns a copy of the bytes with one bit flipped. A `bit` beyond the last byte wraps around, and an empty buffer stays empty. */
export function flipBit(bytes: Buffer, bit: number): Buffer {
  const copy = Buffer.from(bytes);
  const index = Math.floor(bit / 8) % Math.max(bytes.length, 1);
  const byte = copy[index];
  if (byte !== undefined) copy[index] = byte ^ (1 << (bit % 8));
  return copy;
}
