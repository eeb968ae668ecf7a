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
  /** The headers that it reads, in lower case. */
  readonly names: readonly [string, ...string[]];
  /** Every type of secret that it accepts. */
  readonly secret: fc.Arbitrary<string>;
  isSameKey(one: string, other: string): boolean;
}

/** No control characters, no lone surrogates, no white space at either end. */
const plainSecret = fc
  .string({ unit: "grapheme", minLength: 16, maxLength: 60 })
  .filter((text) => text.trim() === text && !/[\p{Cc}\p{Cs}]/u.test(text));

const whsec = fc
  .tuple(fc.constantFrom("", "whsec_"), fc.uint8Array({ minLength: 12, maxLength: 70 }))
  .map(([prefix, key]) => prefix + Buffer.from(key).toString("base64"));

/** Trailing zeros are not part of a key: HMAC pads a key with them to its block size. */
const keyOf = (secret: string): string =>
  Buffer.from(secret.replace("whsec_", ""), "base64")
    .toString("hex")
    .replace(/(?:00)+$/, "");

export const schemes: readonly [SchemeCase, SchemeCase] = [
  {
    name: "timestampDigest",
    variants: [timestampDigest(), timestampDigest({ variant: "sha256" }), timestampDigest({ variant: "hmac" })],
    names: ["timestamp", "authorization"],
    secret: plainSecret,
    isSameKey: (one, other) => one === other,
  },
  {
    name: "standardWebhooks",
    variants: [standardWebhooks()],
    names: ["webhook-id", "webhook-timestamp", "webhook-signature"],
    secret: whsec,
    isSameKey: (one, other) => keyOf(one) === keyOf(other),
  },
];

export const pairsOf = (headers: Readonly<Record<string, string>>): [name: string, value: string][] =>
  Object.entries(headers);

/** Returns a scheme's result for a request: the reason for the rejection, the secret that signed it, or undefined. */
export function verify(
  scheme: SignatureScheme,
  rawHeaders: readonly string[],
  secrets: readonly string[],
  body: Uint8Array | undefined,
): unknown {
  const parsed = scheme.parse(rawHeaders);
  return "code" in parsed ? parsed.code : scheme.verify(parsed, secrets, body);
}

/** Returns the same bytes with one bit flipped. */
export function flip(bytes: Buffer, bit: number): Buffer {
  const changed = Buffer.from(bytes);
  const at = Math.floor(bit / 8) % Math.max(bytes.length, 1);
  const byte = changed[at];
  if (byte !== undefined) changed[at] = byte ^ (1 << (bit % 8));
  return changed;
}
