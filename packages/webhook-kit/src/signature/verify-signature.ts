import { isWebhookKitError, UnavailableError } from "../errors/errors.ts";
import type { SignatureProblem } from "../errors/rejection.ts";
import { bodyTimeoutMs } from "../generated/decisions.ts";
import { createBodyConsumedError } from "../http/body.ts";
import { createSignatureRejection } from "../http/rejected.ts";
import type { IncomingRequest } from "../http/request.ts";
import { isThenable } from "../http/timeouts.ts";
import type { SecretLookup } from "./secrets.ts";
import { sha256 } from "./sha256.ts";
import type { ParsedSignature, SignatureScheme } from "./signature-scheme.ts";

/**
 * The result of a successful verification. Watch `variant` to find out which digest the service uses, `secretIndex` to see when an old
 * secret is no longer used, and `skewSeconds` to notice clock drift before requests are rejected.
 *
 * @example
 * ```ts
 * import type { Verified } from "@offers/webhook-kit";
 *
 * export const usesOldSecret = ({ secretIndex }: Verified): boolean => secretIndex > 0;
 * ```
 */
export interface Verified {
  /** The scheme's name. */
  readonly scheme: string;
  /** The variant of the scheme: `sha256` or `hmac` with the default scheme. */
  readonly variant: string;
  /** Which of the secrets signed, counted from 0. */
  readonly secretIndex: number;
  /** How many seconds the timestamp is ahead of your clock; negative if it is behind, 0 within the signed minute. */
  readonly skewSeconds: number;
}

/** What a signature is verified against. */
export interface SignaturePolicy<Incoming> {
  readonly scheme: SignatureScheme;
  readonly lookUpSecrets: SecretLookup<Incoming>;
  /** Whether each tenant has its own secret. */
  readonly hasTenants: boolean;
  readonly toleranceMs: number;
  readonly maxBodyBytes: number;
  readonly now: () => Date;
}

/** The part of a request that is verified. */
export type SignedRequest<Incoming> = Pick<IncomingRequest<Incoming>, "rawHeaders" | "request" | "readBody">;

/** A verified request, whose sender has the secret. */
export interface VerifiedRequest {
  readonly parsed: ParsedSignature;
  readonly receivedAt: Date;
  readonly verified: Verified;
  /** A hash of the tenant's secret; empty if there is only one tenant. */
  readonly tenant: string;
  /** The signed bytes; undefined unless the scheme signs the body. */
  readonly body: Uint8Array | undefined;
}

/**
 * Verifies the header syntax, the timestamp tolerance and the signature. The body is read only if the scheme signs it, and after
 * every check that does not need it.
 *
 * @throws {Rejected} (rejects) for the scheme's reasons, `timestamp_out_of_tolerance`, `unknown_tenant`, `signature_mismatch`
 * @throws {UnavailableError} (rejects) when the secret cannot be looked up or the scheme throws
 * @throws {ConfigurationError} (rejects) `body_already_consumed`
 */
export async function verifySignature<Incoming>(
  policy: SignaturePolicy<Incoming>,
  incoming: SignedRequest<Incoming>,
): Promise<VerifiedRequest> {
  const { scheme, toleranceMs } = policy;
  const parsed = await callScheme(() => scheme.parse(incoming.rawHeaders));
  if ("code" in parsed) throw createSignatureRejection(parsed, scheme.wwwAuthenticate);
  const receivedAt = policy.now();
  const skewMs = measureSkew(parsed.signedAt, receivedAt.getTime());
  const skewSeconds = skewMs / 1000;
  // In both directions (D-16). Negated, so that NaN from a clock or a scheme is rejected.
  if (!(Math.abs(skewMs) <= toleranceMs))
    throw createSignatureRejection(
      createSkewProblem(skewSeconds, toleranceMs / 1000),
      scheme.wwwAuthenticate,
      skewSeconds,
    );
  const lookup = policy.lookUpSecrets(incoming.request);
  const secrets = isThenable(lookup) ? await lookup : lookup;
  if (!secrets) throw createSignatureRejection(unknownTenant, scheme.wwwAuthenticate);
  const body = scheme.signsBody ? await readSignedBody(incoming, policy.maxBodyBytes) : undefined;
  const match = await callScheme(() => scheme.verify(parsed, secrets, body));
  // The user's own scheme may return -1 for no match, as findIndex does.
  const secret = match && secrets[match.secretIndex];
  if (!match || secret === undefined) throw createSignatureRejection(noMatch, scheme.wwwAuthenticate);
  const { secretIndex, variant } = match;
  const verified = { scheme: scheme.name, variant, secretIndex, skewSeconds };
  // The secret identifies the tenant, because the signature covers nothing else about it.
  const tenant = policy.hasTenants ? sha256(secret) : "";
  return { parsed, receivedAt, verified, tenant, body };
}

async function readSignedBody(incoming: SignedRequest<unknown>, maxBodyBytes: number): Promise<Uint8Array> {
  const body = await incoming.readBody(maxBodyBytes, bodyTimeoutMs);
  // The signature covers the original bytes, not the value that a parser created.
  if (body.kind === "parsed") throw createBodyConsumedError();
  return body.bytes;
}

/**
 * Calls a scheme's function. The scheme may be the user's own, so its result is awaited. Otherwise a promise would count as a match,
 * and any signature would pass.
 */
async function callScheme<T>(call: () => T | Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (cause) {
    if (isWebhookKitError(cause)) throw cause;
    throw new UnavailableError(
      "signature_scheme_error",
      "The signature scheme threw; see this error's cause. Its parse and verify must return, not throw.",
      { cause },
    );
  }
}

/** Returns the clock skew: negative for the past; 0 during the whole minute of a minute-precision timestamp. */
function measureSkew({ earliest, latest }: ParsedSignature["signedAt"], now: number): number {
  const aheadMs = Math.max(earliest - now, 0);
  return aheadMs !== 0 ? aheadMs : Math.min(latest - now, 0);
}

const createSkewProblem = (skewSeconds: number, toleranceSeconds: number): SignatureProblem => ({
  code: "timestamp_out_of_tolerance",
  message: `Timestamp is ${Math.round(skewSeconds * 10) / 10} s off this server's clock; ${toleranceSeconds} s are allowed. Is one of the clocks wrong?`,
});

const unknownTenant: SignatureProblem = {
  code: "unknown_tenant",
  message:
    "The secret function returned undefined: it does not know the tenant. Is the URL in the company profile correct?",
};

const noMatch: SignatureProblem = {
  code: "signature_mismatch",
  message: "No secret matches; is the secret exactly the one in the company profile?",
};
