import { createHash, createHmac } from "node:crypto";
import { timestampDigest } from "../signature/timestamp-digest.ts";
import type { Signer } from "./sender.ts";
import type { HeaderList } from "./transports.ts";

/** Returns the headers for a request with this body. */
export type SignBody = (body: Uint8Array | undefined) => HeaderList | Promise<HeaderList>;

/** A signature that a receiver must accept, or reject. */
export interface SignatureCase {
  /** Completes a sentence that starts with "a request". */
  readonly description: string;
  readonly sign: SignBody;
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

/** Creates the valid signatures to send to `/test/auth`. */
export function createValidSignatures(signer: Signer, rules: SignatureRules): SignatureCase[] {
  const { toleranceMs, isDocumented, signedMinutes } = rules;
  const shiftMs = Math.min(toleranceMs / 2, maxSkewMs);
  const common: SignatureCase[] = [
    { description: "signed now", sign: (body) => signer.sign(body) },
    { description: `signed ${shiftMs / 1000} s ago`, sign: (body) => signer.sign(body, { shiftMs: -shiftMs }) },
    { description: `signed ${shiftMs / 1000} s ahead`, sign: (body) => signer.sign(body, { shiftMs }) },
  ];
  if (!isDocumented) return common;
  const { secret } = signer;
  const minute = takeMinute(signer.now(), toleranceMs, signedMinutes);
  return [
    ...common,
    {
      description: "signed with an HMAC, the other documented variant,",
      sign: () => Object.entries(timestampDigest({ variant: "hmac" }).sign({ secret, now: signer.now() })),
    },
    {
      description: "whose Timestamp has no seconds",
      sign: () => Object.entries({ Timestamp: minute, Authorization: `hmac ${sha256(minute + secret)}` }),
    },
  ];
}

/**
 * Returns a recent minute in the timestamp format of the service's documentation (D-16), and adds it to `signedMinutes`. Prefers a minute
 * that has not been used yet.
 */
function takeMinute(now: Date, toleranceMs: number, signedMinutes: Set<string>): string {
  const formatMinuteAgo = (minutes: number) =>
    new Date(now.getTime() - minutes * 60_000).toISOString().replace(/:\d\d\.\d+Z$/, "Z");
  const minuteCount = Math.floor(toleranceMs / 60_000);
  const recentMinutes = Array.from({ length: minuteCount }, (_, minutes) => formatMinuteAgo(minutes));
  const minute = recentMinutes.find((candidate) => !signedMinutes.has(candidate)) ?? formatMinuteAgo(0);
  signedMinutes.add(minute);
  return minute;
}

/** How far beyond the tolerance to sign: enough even for a timestamp without seconds. */
const beyondMs = 61_000;

/** Creates the invalid signatures to send to every endpoint. */
export function createInvalidSignatures(signer: Signer, toleranceMs: number): SignatureCase[] {
  const shiftMs = toleranceMs + beyondMs;
  const secret = changeOneCharacter(signer.secret);
  return [
    { description: "without a signature", sign: () => [] },
    { description: "signed with a different secret", sign: (body) => signer.sign(body, { secret }) },
    { description: "signed too long ago", sign: (body) => signer.sign(body, { shiftMs: -shiftMs }) },
    { description: "signed in the future", sign: (body) => signer.sign(body, { shiftMs }) },
  ];
}

/** Creates signatures with headers that were tampered with, for any scheme. */
export async function createTamperedSignatures(signer: Signer): Promise<SignatureCase[]> {
  const names = (await signer.sign()).map(([name]) => name);
  return names.flatMap((tamperedName) => {
    const change = (replace: (value: string) => readonly string[]) => async (body: Uint8Array | undefined) =>
      (await signer.sign(body)).flatMap(([name, value]) =>
        (name === tamperedName ? replace(value) : [value]).map((changed): HeaderList[number] => [name, changed]),
      );
    return [
      { description: `without ${tamperedName}`, sign: change(() => []) },
      { description: `with an empty ${tamperedName}`, sign: change(() => [""]) },
      { description: `with ${tamperedName} twice`, sign: change((value) => [value, value]) },
      { description: `with a forged ${tamperedName} after the genuine one`, sign: change((value) => [value, "false"]) },
      {
        description: `with a forged ${tamperedName} before the genuine one`,
        sign: change((value) => ["false", value]),
      },
      { description: `with garbage after ${tamperedName}`, sign: change((value) => [`${value}zz`]) },
    ];
  });
}

/** Creates forgeries that careless implementations of the documented scheme are known to accept. */
export function createForgedDigests(signer: Signer): SignatureCase[] {
  const { secret } = signer;
  const digestOf = (timestamp: string) => sha256(timestamp + secret);
  const forge = (makeDigest: (timestamp: string) => string, timestamp?: string) => (): HeaderList => {
    const time = timestamp ?? signer.now().toISOString();
    return Object.entries({ Timestamp: time, Authorization: `hmac ${makeDigest(time)}` });
  };
  return [
    { description: "with a digest made without the secret", sign: forge(sha256) },
    { description: "with an HMAC whose key is empty", sign: forge((time) => hmac("", time)) },
    { description: "with half of the digest", sign: forge((time) => digestOf(time).slice(0, 32)) },
    { description: "with the digest of a different time", sign: forge(() => digestOf(signer.now().toISOString())) },
    { description: "with 64 letters that are not hexadecimal digits", sign: forge(() => "z".repeat(64)) },
    { description: "with 64 characters that are not ASCII", sign: forge(() => "é".repeat(64)) },
    { description: "whose Timestamp is not a date", sign: forge(digestOf, "NaN") },
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
