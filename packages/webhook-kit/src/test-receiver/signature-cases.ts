import { createHash, createHmac } from "node:crypto";
import { timestampDigest } from "../signature/timestamp-digest.ts";
import type { Signer } from "./sender.ts";
import type { HeaderList } from "./transports.ts";

/** Returns the headers for a request with this body. */
export type SignBody = (body: Uint8Array | undefined) => HeaderList | Promise<HeaderList>;

/** Headers that a receiver must accept, or reject. */
export interface SignatureCase {
  /** Completes a sentence that starts with "a request". */
  readonly description: string;
  readonly headers: SignBody;
}

/** The clock skew that a receiver must accept, unless half the tolerance is less. */
const maxSkewMs = 30_000;

export interface SignatureRules {
  readonly toleranceMs: number;
  /** Whether this is the scheme that the service documents. Then the receiver must accept all of its variants. */
  readonly isDocumented: boolean;
  /** The minutes already used for signatures to this receiver, which may accept each signature only once. */
  readonly signedMinutes: Set<string>;
}

/** Returns the valid signatures to send to `/test/auth`. */
export function validSignatures(signer: Signer, rules: SignatureRules): SignatureCase[] {
  const { toleranceMs, isDocumented, signedMinutes } = rules;
  const shiftMs = Math.min(toleranceMs / 2, maxSkewMs);
  const common: SignatureCase[] = [
    { description: "signed now", headers: (body) => signer.sign(body) },
    { description: `signed ${shiftMs / 1000} s ago`, headers: (body) => signer.sign(body, { shiftMs: -shiftMs }) },
    { description: `signed ${shiftMs / 1000} s ahead`, headers: (body) => signer.sign(body, { shiftMs }) },
  ];
  if (!isDocumented) return common;
  const { secret } = signer;
  const now = signer.now().getTime();
  // The timestamp format in the service's documentation (D-16).
  const formatMinuteAgo = (minutes: number) =>
    new Date(now - minutes * 60_000).toISOString().replace(/:\d\d\.\d+Z$/, "Z");
  const recentMinutes = Array.from({ length: Math.floor(toleranceMs / 60_000) }, (_, minutes) =>
    formatMinuteAgo(minutes),
  );
  const minute = recentMinutes.find((candidate) => !signedMinutes.has(candidate)) ?? formatMinuteAgo(0);
  signedMinutes.add(minute);
  return [
    ...common,
    {
      description: "signed with an HMAC, the other documented variant,",
      headers: () => Object.entries(timestampDigest({ variant: "hmac" }).sign({ secret, now: signer.now() })),
    },
    {
      description: "whose Timestamp has no seconds",
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
    { description: "without a signature", headers: () => [] },
    { description: "signed with a different secret", headers: (body) => signer.sign(body, { secret }) },
    { description: "signed too long ago", headers: (body) => signer.sign(body, { shiftMs: -shiftMs }) },
    { description: "signed in the future", headers: (body) => signer.sign(body, { shiftMs }) },
  ];
}

/** Returns requests whose headers were tampered with, for any scheme. */
export async function tamperedHeaders(signer: Signer): Promise<SignatureCase[]> {
  const names = (await signer.sign()).map(([name]) => name);
  return names.flatMap((tampered) => {
    const change = (replace: (value: string) => readonly string[]) => async (body: Uint8Array | undefined) =>
      (await signer.sign(body)).flatMap(([name, value]) =>
        (name === tampered ? replace(value) : [value]).map((changed): HeaderList[number] => [name, changed]),
      );
    return [
      { description: `without ${tampered}`, headers: change(() => []) },
      { description: `with an empty ${tampered}`, headers: change(() => [""]) },
      { description: `with ${tampered} twice`, headers: change((value) => [value, value]) },
      { description: `with a forged ${tampered} after the genuine one`, headers: change((value) => [value, "false"]) },
      { description: `with a forged ${tampered} before the genuine one`, headers: change((value) => ["false", value]) },
      { description: `with garbage after ${tampered}`, headers: change((value) => [`${value}zz`]) },
    ];
  });
}

/** Returns forgeries that careless implementations of the documented scheme are known to accept. */
export function invalidDigests(signer: Signer): SignatureCase[] {
  const { secret } = signer;
  const digestOf = (timestamp: string) => sha256(timestamp + secret);
  const forge = (makeDigest: (timestamp: string) => string, timestamp?: string) => (): HeaderList => {
    const time = timestamp ?? signer.now().toISOString();
    return Object.entries({ Timestamp: time, Authorization: `hmac ${makeDigest(time)}` });
  };
  return [
    { description: "with a digest made without the secret", headers: forge(sha256) },
    { description: "with an HMAC whose key is empty", headers: forge((time) => hmac("", time)) },
    { description: "with half of the digest", headers: forge((time) => digestOf(time).slice(0, 32)) },
    { description: "with the digest of a different time", headers: forge(() => digestOf(signer.now().toISOString())) },
    { description: "with 64 letters that are not hexadecimal digits", headers: forge(() => "z".repeat(64)) },
    { description: "with 64 characters that are not ASCII", headers: forge(() => "é".repeat(64)) },
    { description: "whose Timestamp is not a date", headers: forge(digestOf, "NaN") },
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
