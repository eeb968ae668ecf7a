import { createHmac, createSecretKey, type KeyObject, randomUUID, timingSafeEqual } from "node:crypto";
import { ConfigurationError } from "../errors/errors.ts";
import type { RejectionCode, SignatureProblem } from "../errors/rejection.ts";
import { duplicated, findSingleHeader } from "../http/request.ts";
import { findMatchingSecret, findSecretProblem } from "./secrets.ts";
import type { ParsedSignature, SignatureScheme } from "./signature-scheme.ts";

interface StandardWebhooksSignature extends ParsedSignature {
  readonly id: string;
  /** The digits in the header. The signed bytes are `<id>.<timestamp>.<body>`. */
  readonly timestamp: string;
  /** One for each secret that the sender signs with. */
  readonly signatures: readonly Buffer[];
}

/**
 * Standard Webhooks: `webhook-id`, `webhook-timestamp` and `webhook-signature`, an HMAC-SHA-256 of the id, the time and the body in base64.
 * Interoperable with `standardwebhooks` on npm; its secrets are base64, with or without the `whsec_` prefix. It covers the id, the time and
 * the body's bytes, but neither the method nor the path, so the path of a GET request is not signed. The signed id alone identifies a
 * duplicate, so a sender reuses it when it retries. `sign` is synchronous, and generates an id if you pass none. Headers are parsed
 * strictly.
 *
 * @throws {ConfigurationError} from `sign` only: `invalid_secret` for a secret without a key; `invalid_option` for an invalid date or one
 * before 1970, and for an id that is empty, longer than 256 characters, or contains a dot, a comma or anything but visible ASCII
 * @see https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 *
 * @example
 * ```ts
 * import { standardWebhooks } from "@offers/webhook-kit";
 * import { webhookRouter } from "@offers/webhook-kit/express";
 *
 * webhookRouter({
 *   secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
 *   scheme: standardWebhooks(),
 *   onWorkerAddedContact: ({ workerId }) => console.log("hello", workerId),
 * });
 * ```
 */
export function standardWebhooks(): SignatureScheme<{
  "webhook-id": string;
  "webhook-timestamp": string;
  "webhook-signature": string;
}> {
  return {
    name: "standard-webhooks",
    wwwAuthenticate: "standard-webhooks",
    signsBody: true,
    checkSecret,
    sign({ secret, now, body = emptyBody, id = `msg_${randomUUID()}` }) {
      const key = requireKey(secret);
      if (!validId.test(id)) throw new ConfigurationError("invalid_option", `id must be ${idDescription}.`);
      const timestamp = String(Math.floor(now.getTime() / 1000));
      if (!unixSeconds.test(timestamp))
        throw new ConfigurationError("invalid_option", "now must be a valid Date, in 1970 or later.");
      const signature = computeMac(key, id, timestamp, body).toString("base64");
      return { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": `v1,${signature}` };
    },
    parse: parseHeaders,
    // Without the body nothing can be verified, not even that it was empty.
    verify: (parsed, secrets, body) => body && findMatch(parsed as StandardWebhooksSignature, secrets, body),
  };
}

const emptyBody = new Uint8Array();

/** Allows no dot, because the signed bytes of `a.1` at time 2 and of `a` at time 1 could start the same way. */
const validId = /^[\x21-\x2b\x2d\x2f-\x7e]{1,256}$/;
const idDescription = "1 to 256 visible ASCII characters without dots or commas";

/** Matches a number of seconds without leading zeros, small enough for a Date. */
const unixSeconds = /^(?:0|[1-9]\d{0,11})$/;

const noKeyMessage =
  "The secret contains no key: it must be padded base64 of at least one byte, with or without the whsec_ prefix.";

const checkSecret = (secret: string): string | undefined =>
  decodeStandardWebhooksKey(secret) ? undefined : noKeyMessage;

/** @throws {ConfigurationError} `invalid_secret` */
function requireKey(secret: string): KeyObject {
  const problem = findSecretProblem(secret);
  if (problem) throw new ConfigurationError(problem.code, problem.message);
  const key = findKey(secret);
  if (!key) throw new ConfigurationError("invalid_secret", noKeyMessage);
  return key;
}

const keys = new Map<string, KeyObject>();
const maxKeys = 1_000;

/** Returns a secret's key; undefined if it has none. Cached, because creating a key takes almost as long as the HMAC of a small body. */
function findKey(secret: string): KeyObject | undefined {
  const cached = keys.get(secret);
  if (cached) return cached;
  const bytes = decodeStandardWebhooksKey(secret);
  if (!bytes) return undefined;
  const key = createSecretKey(bytes);
  if (keys.size === maxKeys) keys.clear();
  keys.set(secret, key);
  return key;
}

const problems = {
  duplicate_header: "webhook-id, webhook-timestamp or webhook-signature was sent twice.",
  missing_webhook_id:
    "There is no webhook-id header; does the sender use Standard Webhooks rather than a Timestamp header?",
  missing_timestamp: "There is no webhook-timestamp header; does a proxy in front of this server strip it?",
  missing_signature: "There is no webhook-signature header; does a proxy in front of this server strip it?",
  malformed_webhook_id: `webhook-id is not ${idDescription}.`,
  malformed_timestamp: "webhook-timestamp is not a whole number of seconds since 1970.",
  malformed_signature:
    "webhook-signature is not a list, separated by single spaces, with a v1 signature of 32 bytes in base64.",
} as const satisfies Partial<Record<RejectionCode, string>>;

/** Parses the headers strictly (D-65). */
function parseHeaders(rawHeaders: readonly string[]): StandardWebhooksSignature | SignatureProblem {
  const problemWith = (code: keyof typeof problems): SignatureProblem => ({ code, message: problems[code] });
  const id = findSingleHeader(rawHeaders, "webhook-id");
  const timestamp = findSingleHeader(rawHeaders, "webhook-timestamp");
  const signature = findSingleHeader(rawHeaders, "webhook-signature", isJoined);
  if (id === duplicated || timestamp === duplicated || signature === duplicated) return problemWith("duplicate_header");
  if (id === undefined) return problemWith("missing_webhook_id");
  if (timestamp === undefined) return problemWith("missing_timestamp");
  if (signature === undefined) return problemWith("missing_signature");
  if (!validId.test(id)) return problemWith("malformed_webhook_id");
  if (!unixSeconds.test(timestamp)) return problemWith("malformed_timestamp");
  const signatures = parseWebhookSignature(signature);
  if (!signatures) return problemWith("malformed_signature");
  const time = Number(timestamp) * 1000;
  return { signedAt: { earliest: time, latest: time }, signature: signatures[0], signatures, id, timestamp };
}

function findMatch(
  { id, timestamp, signatures }: StandardWebhooksSignature,
  secrets: readonly string[],
  body: Uint8Array,
): { secretIndex: number; variant: "v1" } | undefined {
  const secretIndex = findMatchingSecret(secrets, (secret) => {
    const key = findKey(secret);
    if (!key) return false;
    const expected = computeMac(key, id, timestamp, body);
    // Compare every signature, so that the time taken does not reveal which signature matches.
    return signatures.map((signature) => timingSafeEqual(expected, signature)).includes(true);
  });
  return secretIndex < 0 ? undefined : { secretIndex, variant: "v1" };
}

/** Signs the bytes of the body, because two bodies with different invalid UTF-8 decode to the same string. */
const computeMac = (key: KeyObject, id: string, timestamp: string, body: Uint8Array): Buffer =>
  createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest();

/** Limits the number of signatures, because each one is compared with every secret. No rotation needs more. */
const maxSignatures = 16;

/** Matches a version, a comma, and visible ASCII without another comma. */
const signatureShape = /^[\w-]+,[\x21-\x2b\x2d-\x7e]+$/;
const v1 = "v1,";

/**
 * Returns the 32 bytes of every `v1,<base64>` in a list separated by single spaces. Skips signatures with other versions, such as `v1a`.
 * Returns undefined if the string is not such a list, or contains no `v1` signature.
 */
export function parseWebhookSignature(text: string): readonly [Buffer, ...Buffer[]] | undefined {
  const entries = text.split(" ", maxSignatures + 1);
  if (entries.length > maxSignatures || !entries.every((entry) => signatureShape.test(entry))) return undefined;
  const signatures: Buffer[] = [];
  for (const entry of entries.filter((entry) => entry.startsWith(v1))) {
    const signature = decodeBase64(entry.slice(v1.length));
    if (signature?.length !== 32) return undefined;
    signatures.push(signature);
  }
  const [first, ...others] = signatures;
  return first === undefined ? undefined : [first, ...others];
}

/**
 * Whether a runtime joined two headers with a comma. Each entry of a valid list, such as `v1,… v1,…`, has one comma, which is never at its
 * start. Joined headers, such as `v1,…, v1,…` and `v1,…,v1,…`, break this rule.
 */
export const isJoined = (text: string): boolean =>
  text.split(" ").some((entry) => entry.startsWith(",") || entry.indexOf(",") !== entry.lastIndexOf(","));

const prefix = "whsec_";

/** Decodes the key in `whsec_<base64>`, or in base64 alone; returns undefined for any other string, and for an empty key. */
export function decodeStandardWebhooksKey(secret: string): Buffer | undefined {
  const key = decodeBase64(secret.startsWith(prefix) ? secret.slice(prefix.length) : secret);
  return key?.length ? key : undefined;
}

/**
 * Decodes base64 in the only notation that RFC 4648 (section 4) allows: standard alphabet, padded, no stray bits, no white space; returns
 * undefined for anything else. The bytes are encoded again and compared, because `Buffer.from(text, "base64")` skips invalid characters,
 * so it decodes many strings to the same bytes.
 */
export function decodeBase64(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, "base64");
  return bytes.toString("base64") === text ? bytes : undefined;
}
