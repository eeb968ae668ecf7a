import { isWebhookKitError, UnavailableError } from "../errors.ts";
import { rejectSignature } from "../http/rejected.ts";
import type { SignatureProblem } from "../rejection.ts";
import type { Verified } from "../verified.ts";
import type { SecretLookup } from "./secrets.ts";
import { sha256 } from "./sha256.ts";
import type { ParsedSignature, SignatureScheme } from "./signature-scheme.ts";

/** What a signature is verified against. */
export interface SignaturePolicy<Incoming> {
  readonly scheme: SignatureScheme;
  readonly lookUpSecrets: SecretLookup<Incoming>;
  /** True when the secret differs by tenant. */
  readonly hasTenants: boolean;
  readonly toleranceMs: number;
  readonly now: () => Date;
}

/** The sender holds the secret. */
export interface VerifiedRequest {
  readonly parsed: ParsedSignature;
  readonly receivedAt: Date;
  readonly verified: Verified;
  /** A hash of the tenant's secret; empty where there is one tenant. */
  readonly tenant: string;
  /** The signed bytes; only under a scheme that signs the body. */
  readonly body: Uint8Array | undefined;
}

/**
 * The whole verification: header syntax, timestamp tolerance, secrets, signature.
 *
 * @param readBody called only if the scheme signs the body, and after everything that needs no body
 * @throws {Rejected} (rejects) for the scheme's reasons, `timestamp_out_of_tolerance`, `unknown_tenant`, `signature_mismatch`
 * @throws {UnavailableError} (rejects) when the secret cannot be looked up or the scheme throws
 */
export async function verifySignature<Incoming>(
  { scheme, now, toleranceMs, lookUpSecrets, hasTenants }: SignaturePolicy<Incoming>,
  { rawHeaders, request }: { readonly rawHeaders: readonly string[]; readonly request: Incoming },
  readBody: () => Promise<Uint8Array>,
): Promise<VerifiedRequest> {
  const parsed = await callScheme(() => scheme.parse(rawHeaders));
  if ("reason" in parsed) throw rejectSignature(parsed, scheme.wwwAuthenticate);
  const receivedAt = now();
  const skewMs = measureSkew(parsed.signedAt, receivedAt.getTime());
  const skewSeconds = skewMs / 1000;
  // In both directions (D-16). Negated, so that NaN from a clock or a scheme rejects.
  if (!(Math.abs(skewMs) <= toleranceMs))
    throw rejectSignature(outOfTolerance(skewSeconds, toleranceMs / 1000), scheme.wwwAuthenticate, skewSeconds);
  const secrets = await lookUpSecrets(request);
  if (!secrets) throw rejectSignature(unknownTenant, scheme.wwwAuthenticate);
  const body = scheme.signsBody ? await readBody() : undefined;
  const match = await callScheme(() => scheme.verify(parsed, secrets, body));
  if (!match) throw rejectSignature(noMatch, scheme.wwwAuthenticate);
  const { secretIndex, variant } = match;
  const verified = { scheme: scheme.name, variant, secretIndex, skewSeconds };
  // A tenant is known by its secret: no signature covers anything else of it.
  const tenant = hasTenants ? sha256(secrets[secretIndex] ?? "") : "";
  return { parsed, receivedAt, verified, tenant, body };
}

/** The scheme may be a user's own. */
async function callScheme<T>(call: () => T | Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (cause) {
    if (isWebhookKitError(cause)) throw cause;
    throw new UnavailableError(
      "signature_scheme_error",
      "The signature scheme threw; the cause of this error is what it threw. Its parse and verify must return, not throw.",
      { cause },
    );
  }
}

/** The clock skew: negative for the past; 0 during the whole minute of a minute-precision timestamp (D-16). */
const measureSkew = ({ earliest, latest }: ParsedSignature["signedAt"], now: number): number =>
  Math.max(earliest - now, 0) || Math.min(latest - now, 0);

const outOfTolerance = (skewSeconds: number, toleranceSeconds: number): SignatureProblem => ({
  reason: "timestamp_out_of_tolerance",
  message: `Timestamp lies ${skewSeconds} s from this clock, ${toleranceSeconds} s are allowed; is one of the clocks wrong?`,
});

const unknownTenant: SignatureProblem = {
  reason: "unknown_tenant",
  message:
    "The secret function returned undefined: it knows no such tenant. Is the address on the company profile right?",
};

const noMatch: SignatureProblem = {
  reason: "signature_mismatch",
  message: "No secret matches; is the secret exactly the one on the company profile?",
};
