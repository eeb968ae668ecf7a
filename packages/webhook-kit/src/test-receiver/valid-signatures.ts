import { createHash } from "node:crypto";
import { timestampDigest } from "../signature/timestamp-digest.ts";
import type { Signer } from "./signer.ts";
import type { HeaderList } from "./transport.ts";

/** Headers that a receiver must accept. */
export interface ValidSignature {
  /** Goes on after "a request". */
  readonly what: string;
  readonly headers: HeaderList;
}

/** Two clocks may differ by this much, and by no more than half the tolerance. */
const mostSkewMs = 30_000;

export interface SignatureRules {
  readonly toleranceMs: number;
  /** The service's own scheme in all its variants and forms. */
  readonly isDocumented: boolean;
  /** How often this receiver was checked before: no minute is signed twice in a row. */
  readonly checks: number;
}

export async function validSignatures(signer: Signer, rules: SignatureRules): Promise<ValidSignature[]> {
  const { toleranceMs, isDocumented, checks } = rules;
  const shiftMs = Math.min(toleranceMs / 2, mostSkewMs);
  const good = [
    { what: "signed now", headers: await signer.sign() },
    { what: `signed ${shiftMs / 1000} s ago`, headers: await signer.sign(undefined, { shiftMs: -shiftMs }) },
    { what: `signed ${shiftMs / 1000} s ahead`, headers: await signer.sign(undefined, { shiftMs }) },
  ];
  if (!isDocumented) return good;
  const { secret } = signer;
  const minutes = Math.max(1, Math.floor(toleranceMs / 60_000));
  // The form in which the service's documentation shows it (D-16).
  const minute = new Date(signer.now().getTime() - (checks % minutes) * 60_000)
    .toISOString()
    .replace(/:\d\d\.\d+Z$/, "Z");
  const digest = createHash("sha256").update(`${minute}${secret}`).digest("hex").toUpperCase();
  return [
    ...good,
    {
      what: "signed by HMAC, the other documented variant",
      headers: Object.entries(timestampDigest({ variant: "hmac" }).sign({ secret, now: signer.now() })),
    },
    {
      what: "whose Timestamp names a whole minute",
      headers: [
        ["Timestamp", minute],
        ["Authorization", `hmac ${digest}`],
      ],
    },
  ];
}
