import { createHash, createHmac } from "node:crypto";
import { timestampDigest } from "../signature/timestamp-digest.ts";
import type { Signer } from "./sender.ts";
import type { HeaderList } from "./transports.ts";

/** Returns the headers for a request with this body. */
export type SignBody = (body: Uint8Array | undefined) => HeaderList | Promise<HeaderList>;

/** Headers that a receiver must accept, or reject. */
export interface SignatureCase {
  /** Completes a sentence that starts with "a request". */
  readonly what: string;
  readonly headers: SignBody;
}

/** How far two clocks may differ, unless half the tolerance is less. */
const maxSkewMs = 30_000;

export interface SignatureRules {
  readonly toleranceMs: number;
  /** Whether the scheme is the one that the service documents, all of whose variants must be accepted. */
  readonly isDocumented: boolean;
  /** The minutes already used for signatures to this receiver, which may accept each signature only once. */
  readonly signedMinutes: Set<string>;
}

export function validSignatures(signer: Signer, rules: SignatureRules): SignatureCase[] {
  const { toleranceMs, isDocumented, signedMinutes } = rules;
  const shiftMs = Math.min(toleranceMs / 2, maxSkewMs);
  const common: SignatureCase[] = [
    { what: "signed now", headers: (body) => signer.sign(body) },
    { what: `signed ${shiftMs / 1000} s ago`, headers: (body) => signer.sign(body, { shiftMs: -shiftMs }) },
    { what: `signed ${shiftMs / 1000} s ahead`, headers: (body) => signer.sign(body, { shiftMs }) },
  ];
  if (!isDocumented) return common;
  const { secret } = signer;
  const now = signer.now().getTime();
  // The timestamp format in the service's documentation (D-16).
  const minuteAgo = (count: number) => new Date(now - count * 60_000).toISOString().replace(/:\d\d\.\d+Z$/, "Z");
  const recent = Array.from({ length: Math.floor(toleranceMs / 60_000) }, (_, count) => minuteAgo(count));
  const minute = recent.find((candidate) => !signedMinutes.has(candidate)) ?? minuteAgo(0);
  signedMinutes.add(minute);
  return [
    ...common,
    {
      what: "signed with an HMAC, the other documented variant,",
      headers: () => Object.entries(timestampDigest({ variant: "hmac" }).sign({ secret, now: signer.now() })),
    },
    {
      what: "whose Timestamp has no seconds",
      headers: () => Object.entries({ Timestamp: minute, Authorization: `hmac ${sha256(minute + secret)}` }),
    },
  ];
}

/** How far beyond the tolerance to sign: enough even for a timestamp without seconds. */
const beyondMs = 61_000;

/** Returns the invalid signatures to send to every endpoint. */
export function commonInvalidSignatures(signer: Signer, toleranceMs: number): SignatureCase[] {
  const shiftMs = toleranceMs + beyondMs;
  const secret = changeOneCharacter(signer.secret);
  return [
    { what: "without a signature", headers: () => [] },
    { what: "signed with another secret", headers: (body) => signer.sign(body, { secret }) },
    { what: "signed too long ago", headers: (body) => signer.sign(body, { shiftMs: -shiftMs }) },
    { what: "signed in the future", headers: (body) => signer.sign(body, { shiftMs }) },
  ];
}

/** Returns requests whose headers were tampered with, for any scheme. */
export async function tamperedHeaders(signer: Signer): Promise<SignatureCase[]> {
  const names = (await signer.sign()).map(([name]) => name);
  return names.flatMap((tampered) => {
    const change = (to: (value: string) => readonly string[]) => async (body: Uint8Array | undefined) =>
      (await signer.sign(body)).flatMap(([name, value]) =>
        (name === tampered ? to(value) : [value]).map((changed): HeaderList[number] => [name, changed]),
      );
    return [
      { what: `without ${tampered}`, headers: change(() => []) },
      { what: `with an empty ${tampered}`, headers: change(() => [""]) },
      { what: `with ${tampered} twice`, headers: change((value) => [value, value]) },
      { what: `with a forged ${tampered} after the genuine one`, headers: change((value) => [value, "false"]) },
      { what: `with a forged ${tampered} before the genuine one`, headers: change((value) => ["false", value]) },
      { what: `with garbage after ${tampered}`, headers: change((value) => [`${value}zz`]) },
    ];
  });
}

/** Returns forgeries that careless implementations of the documented scheme are known to accept. */
export function invalidDigests(signer: Signer): SignatureCase[] {
  const { secret } = signer;
  const digestOf = (timestamp: string) => sha256(timestamp + secret);
  const forged = (makeDigest: (timestamp: string) => string, timestamp?: string) => (): HeaderList => {
    const time = timestamp ?? signer.now().toISOString();
    return Object.entries({ Timestamp: time, Authorization: `hmac ${makeDigest(time)}` });
  };
  return [
    { what: "with a digest made without the secret", headers: forged(sha256) },
    { what: "with an HMAC whose key is empty", headers: forged((time) => hmac("", time)) },
    { what: "with half of the digest", headers: forged((time) => digestOf(time).slice(0, 32)) },
    { what: "with the digest of a different time", headers: forged(() => digestOf(signer.now().toISOString())) },
    { what: "with 64 letters that are not hexadecimal digits", headers: forged(() => "z".repeat(64)) },
    { what: "with 64 characters that are not ASCII", headers: forged(() => "é".repeat(64)) },
    { what: "whose Timestamp is not a date", headers: forged(digestOf, "NaN") },
  ];
}

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex").toUpperCase();

const hmac = (key: string, text: string): string => createHmac("sha256", key).update(text).digest("hex").toUpperCase();

/** Changes one letter or digit in the middle, so that the result is still a valid secret for the scheme. */
function changeOneCharacter(secret: string): string {
  const middle = Math.floor(secret.length / 2);
  const index = Math.max(0, secret.slice(middle).search(/[a-z0-9]/i)) + middle;
  return `${secret.slice(0, index)}${secret[index] === "a" ? "b" : "a"}${secret.slice(index + 1)}`;
}
