import { createHmac, timingSafeEqual } from "node:crypto";
import { parseDateTime } from "@offers/contract/date-time";
import { isJoinedAuthorization, isJoinedTimestamp } from "@offers/contract/joined-header";
import { ConfigurationError } from "../errors/errors.ts";
import { rejectUnknownOptions } from "../errors/option-names.ts";
import type { RejectionCode, SignatureProblem } from "../errors/rejection.ts";
import { duplicated, findSingleHeader } from "../http/request.ts";
import { findMatchingSecret, findSecretProblem } from "./secrets.ts";
import { sha256 } from "./sha256.ts";
import type { ParsedSignature, SignatureScheme } from "./signature-scheme.ts";

/** The two digests that the documentation allows. */
type DigestVariant = "sha256" | "hmac";

interface DigestSignature extends ParsedSignature {
  /** The header as sent. The digest covers this string. */
  readonly timestamp: string;
}

/**
 * The service's documented scheme: `Timestamp`, and `Authorization: hmac` with a SHA-256 digest of that header and the secret. It covers
 * only the time: neither the method, nor the path, nor the body. Anyone who captures these headers can use them for any request while the
 * timestamp is fresh, so require https, and read the offer before you act on an event. `sign` is synchronous.
 *
 * @param options.variant `"auto"` (default) accepts SHA-256(timestamp + secret) and HMAC-SHA-256(secret, timestamp), and signs with the
 * first; `"sha256"` and `"hmac"` accept and sign with only one
 * @throws {ConfigurationError} `invalid_option` for another variant; `sign` throws it for an invalid date or one outside the years 0 to
 * 9999, and `invalid_secret` for an invalid secret
 *
 * @example
 * ```ts
 * import { timestampDigest } from "@offers/webhook-kit";
 *
 * const { Timestamp, Authorization } = timestampDigest().sign({ secret: "…", now: new Date() });
 * await fetch("https://integrator.example/hooks/test/auth", { headers: { Timestamp, Authorization } });
 * ```
 */
export function timestampDigest(
  options: {
    /** The digests to accept; `auto` accepts both and signs with the first. @default "auto" */
    variant?: "auto" | "sha256" | "hmac" | undefined;
  } = {},
): SignatureScheme<{
  /** The time of signing, as an ISO 8601 date-time. */
  Timestamp: string;
  /** The word `hmac` and the digest. */
  Authorization: string;
}> {
  rejectUnknownOptions("timestampDigest", options, ["variant"]);
  const { variant = "auto" } = options;
  if (variant !== "auto" && variant !== "sha256" && variant !== "hmac")
    throw new ConfigurationError("invalid_option", 'variant must be "auto", "sha256" or "hmac".');
  const acceptedVariants: readonly [DigestVariant, ...DigestVariant[]] =
    variant === "auto" ? ["sha256", "hmac"] : [variant];
  return {
    name: "timestamp-digest",
    wwwAuthenticate: "hmac",
    signsBody: false,
    sign({ secret, now }) {
      const problem = findSecretProblem(secret);
      if (problem) throw new ConfigurationError(problem.code, problem.message);
      // toJSON is null for an invalid date; before the year 0 and after 9999 it starts with a sign, which no receiver accepts.
      const timestamp = now.toJSON();
      if (!parseDateTime(`${timestamp}`))
        throw new ConfigurationError("invalid_option", "now must be a valid Date, in the years 0 to 9999.");
      const signature = computeDigest(acceptedVariants[0], timestamp, secret);
      return { Timestamp: timestamp, Authorization: `hmac ${signature.toUpperCase()}` };
    },
    parse: parseHeaders,
    verify: (parsed, secrets) => findMatch(parsed as DigestSignature, secrets, acceptedVariants),
  };
}

const problems = {
  duplicate_header: "Timestamp or Authorization was sent twice; does a proxy in front of this server add one?",
  missing_timestamp:
    "There is no Timestamp header; does a proxy in front of this server strip it, or does the sender use another scheme?",
  missing_authorization:
    "There is a Timestamp header but no Authorization header; does a proxy in front of this server strip it?",
  malformed_timestamp:
    "Timestamp is not an ISO 8601 date-time with a time zone, such as 2018-11-26T10:55:00Z, or 2018-11-26T10:55Z without seconds; was it changed in transit?",
  malformed_authorization:
    "Authorization must be the word hmac, a space and 64 hexadecimal digits; does a proxy or other middleware set it?",
} as const satisfies Partial<Record<RejectionCode, string>>;

function parseHeaders(rawHeaders: readonly string[]): DigestSignature | SignatureProblem {
  const problemWith = (code: keyof typeof problems): SignatureProblem => ({ code, message: problems[code] });
  const timestamp = findSingleHeader(rawHeaders, "timestamp", isJoinedTimestamp);
  const authorization = findSingleHeader(rawHeaders, "authorization", isJoinedAuthorization);
  if (timestamp === duplicated || authorization === duplicated) return problemWith("duplicate_header");
  if (timestamp === undefined) return problemWith("missing_timestamp");
  if (authorization === undefined) return problemWith("missing_authorization");
  const signedAt = parseDateTime(timestamp);
  if (!signedAt) return problemWith("malformed_timestamp");
  const signature = parseAuthorization(authorization);
  if (!signature) return problemWith("malformed_authorization");
  return { signedAt, signature, timestamp };
}

function findMatch(
  { timestamp, signature }: DigestSignature,
  secrets: readonly string[],
  variants: readonly DigestVariant[],
): { secretIndex: number; variant: DigestVariant } | undefined {
  for (const variant of variants) {
    const secretIndex = findMatchingSecret(secrets, (secret) =>
      timingSafeEqual(Buffer.from(computeDigest(variant, timestamp, secret), "hex"), signature),
    );
    if (secretIndex >= 0) return { secretIndex, variant };
  }
  return undefined;
}

function computeDigest(variant: DigestVariant, timestamp: string, secret: string): string {
  if (variant === "hmac") return createHmac("sha256", secret).update(timestamp).digest("hex");
  return sha256(timestamp + secret);
}

const authorizationPattern = /^hmac +([0-9a-f]{64})$/i;

/**
 * Returns the 32 bytes in `hmac <64 hexadecimal digits>`; undefined for anything else. One or more spaces separate the two, and the
 * scheme is case-insensitive (RFC 9110, section 11.4). The digits are checked before they are decoded, because `Buffer.from(text,
 * "hex")` stops at the first invalid character and ignores the rest.
 */
export function parseAuthorization(text: string): Buffer | undefined {
  const digits = authorizationPattern.exec(text)?.[1];
  return digits === undefined ? undefined : Buffer.from(digits, "hex");
}
