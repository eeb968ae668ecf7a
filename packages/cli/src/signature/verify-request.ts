import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { parseDateTime } from "@offers/contract/date-time";
import { toleranceSeconds } from "@offers/contract/decisions";
import { isJoinedAuthorization, isJoinedTimestamp } from "@offers/contract/joined-header";
import { decodeKey, type Scheme } from "./sign-request.ts";

/** A verified request, or why it was rejected. */
export type Verification =
  | { ok: true; variant: string; ageSeconds: number }
  | { ok: false; reason: string; advice: string };

export interface ReceivedRequest {
  /** The headers as Node's flat list: name, value, name, value. */
  rawHeaders: readonly string[];
  body: Uint8Array;
}

/** Verifies a webhook the way the webhook kit does (D-15, D-16), and explains a rejection to the user. */
export function verifyRequest(scheme: Scheme, secret: string, request: ReceivedRequest, now: number): Verification {
  return scheme === "timestampDigest" ? verifyDigest(secret, request, now) : verifyStandard(secret, request, now);
}

function verifyDigest(secret: string, { rawHeaders }: ReceivedRequest, now: number): Verification {
  const headers = findHeaders(rawHeaders, ["Timestamp", "Authorization"]);
  if ("ok" in headers) return headers;
  const [timestamp = "", authorization = ""] = headers.values;
  const time = parseDateTime(timestamp);
  if (!time)
    return reject("malformed_timestamp", "Timestamp is not a date-time with a time zone, such as 2018-11-26T10:55Z.");
  const digits = /^hmac +([0-9a-f]{64})$/i.exec(authorization)?.[1];
  if (digits === undefined)
    return reject("malformed_authorization", "Authorization must be the word hmac, a space and 64 hexadecimal digits.");
  const secondsAhead = secondsFromNow(time.earliest, time.latest, now);
  if (Math.abs(secondsAhead) > toleranceSeconds) return rejectOutOfTolerance(secondsAhead);
  const received = Buffer.from(digits, "hex");
  const sha256Digest = createHash("sha256").update(`${timestamp}${secret}`).digest();
  if (timingSafeEqual(sha256Digest, received)) return { ok: true, variant: "SHA-256", ageSeconds: -secondsAhead };
  if (timingSafeEqual(createHmac("sha256", secret).update(timestamp).digest(), received))
    return { ok: true, variant: "HMAC-SHA-256", ageSeconds: -secondsAhead };
  return signatureMismatch;
}

function verifyStandard(secret: string, { rawHeaders, body }: ReceivedRequest, now: number): Verification {
  const headers = findHeaders(rawHeaders, ["webhook-id", "webhook-timestamp", "webhook-signature"]);
  if ("ok" in headers) return headers;
  const [id = "", timestamp = "", signatures = ""] = headers.values;
  if (!/^(0|[1-9]\d{0,11})$/.test(timestamp))
    return reject("malformed_timestamp", "webhook-timestamp is not a whole number of seconds since 1970.");
  const time = Number(timestamp) * 1000;
  const secondsAhead = secondsFromNow(time, time, now);
  if (Math.abs(secondsAhead) > toleranceSeconds) return rejectOutOfTolerance(secondsAhead);
  const expected = createHmac("sha256", decodeKey(secret)).update(`${id}.${timestamp}.`).update(body).digest();
  const receivedSignatures = signatures.split(" ").flatMap((text) => /^v1,([A-Za-z0-9+/]{43}=)$/.exec(text)?.[1] ?? []);
  if (receivedSignatures.length === 0)
    return reject("malformed_signature", "webhook-signature does not contain a v1 signature of 32 bytes in base64.");
  return receivedSignatures.some((signature) => timingSafeEqual(expected, Buffer.from(signature, "base64")))
    ? { ok: true, variant: "v1", ageSeconds: -secondsAhead }
    : signatureMismatch;
}

const reject = (reason: string, advice: string): Verification & { ok: false } => ({ ok: false, reason, advice });

const signatureMismatch = reject(
  "signature_mismatch",
  "The request was signed with a different secret, or a proxy changed it. Compare WEBHOOK_SECRET with the secret in the company profile.",
);

function rejectOutOfTolerance(secondsAhead: number): Verification {
  const distance = Math.abs(Math.round(secondsAhead));
  const direction = secondsAhead < 0 ? "past" : "future";
  return reject(
    "timestamp_out_of_tolerance",
    `The timestamp is ${distance} s in the ${direction}; at most ${toleranceSeconds} s are allowed. Is this machine's clock correct, or was the request captured earlier?`,
  );
}

/** Returns the seconds from now to a timestamp between `earliest` and `latest`: 0 if now is between them, negative if both are past. */
function secondsFromNow(earliest: number, latest: number, now: number): number {
  if (now < earliest) return (earliest - now) / 1000;
  if (now > latest) return (latest - now) / 1000;
  return 0;
}

const hasComma = (value: string): boolean => value.includes(",");

/** Whether a proxy joined several headers, by the name of a header that may contain a comma. */
const joinChecks: Readonly<Record<string, (value: string) => boolean>> = {
  Timestamp: isJoinedTimestamp,
  Authorization: isJoinedAuthorization,
  // Each v1 is followed by a comma.
  "webhook-signature": () => false,
};

/** Returns the values of the headers, or a rejection if a header does not occur exactly once. */
function findHeaders(
  rawHeaders: readonly string[],
  names: string[],
): { values: string[] } | (Verification & { ok: false }) {
  const values: string[] = [];
  for (const name of names) {
    const occurrences = rawHeaders.filter(
      (_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name.toLowerCase(),
    );
    const [value] = occurrences;
    if (value === undefined)
      return reject(
        `missing_${name.toLowerCase().replaceAll("-", "_")}`,
        `There is no ${name} header. Does a proxy strip it?`,
      );
    if (occurrences.length > 1 || (joinChecks[name] ?? hasComma)(value))
      return reject("duplicate_header", `${name} was sent more than once. Does a proxy add it?`);
    values.push(value);
  }
  return { values };
}
