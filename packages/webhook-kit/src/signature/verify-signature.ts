import { isWebhookKitError, UnavailableError } from "../errors.ts";
import { refuseSignature } from "../http/rejected.ts";
import type { Verified } from "../observability/observer.ts";
import type { Refusal } from "../observability/outcome.ts";
import type { VerifySettings } from "../options/options.ts";
import { type Awaitable, after, attempt, fromUser } from "../receive/after.ts";
import type { SignatureRefusal } from "../rejection.ts";
import { sha256 } from "./sha256.ts";
import type { SignatureClaim, SignatureScheme } from "./signature-scheme.ts";

/** Well-formed, fresh headers, and the secrets that may have signed them. */
export interface OpenedClaim {
  readonly claim: SignatureClaim;
  readonly secrets: readonly string[];
  readonly skewSeconds: number;
  readonly receivedAt: Date;
}

/** The sender holds the secret. */
export interface Proof extends OpenedClaim {
  readonly verified: Verified;
  /** Tells one tenant from another; empty where there is but one. */
  readonly tenant: string;
}

/**
 * The part of the check that needs no body: shape, freshness, and whose secret it is.
 *
 * @throws {UnavailableError} when the secret cannot be looked up
 */
export function openClaim<Incoming>(
  settings: VerifySettings<Incoming>,
  rawHeaders: readonly string[],
  request: Incoming,
): Awaitable<OpenedClaim | Refusal> {
  const { scheme } = settings;
  const claim = readClaim(scheme, rawHeaders);
  if ("reason" in claim) return refuseSignature(claim, scheme.challenge);
  const receivedAt = settings.now();
  const skewMs = measureSkew(claim.signedAt, receivedAt.getTime());
  // Either way (D-16), and written so that a clock or a timestamp that is no number refuses.
  if (!(Math.abs(skewMs) <= settings.toleranceMs))
    return refuseSignature(outOfTolerance(skewMs / 1000, settings.toleranceMs / 1000), scheme.challenge, skewMs / 1000);
  return after(settings.lookUpSecrets(request), (secrets) =>
    secrets
      ? { claim, secrets, skewSeconds: skewMs / 1000, receivedAt }
      : refuseSignature(unknownTenant, scheme.challenge),
  );
}

function readClaim(scheme: SignatureScheme, rawHeaders: readonly string[]): SignatureClaim | SignatureRefusal {
  try {
    return scheme.read(rawHeaders);
  } catch (cause) {
    return schemeFailed(cause);
  }
}

/** The rest of the check; `body` is needed when the scheme covers it. */
export function proveClaim<Incoming>(
  settings: VerifySettings<Incoming>,
  opened: OpenedClaim,
  body: Uint8Array | undefined,
): Awaitable<Proof | Refusal> {
  const { scheme } = settings;
  const { claim, secrets, skewSeconds, receivedAt } = opened;
  return after(
    attempt(() => fromUser(scheme.verify(claim, secrets, body)), schemeFailed),
    (match) => {
      if (!match) return refuseSignature(noMatch, scheme.challenge);
      const { secretIndex, reading } = match;
      const verified = { scheme: scheme.name, reading, secretIndex, skewSeconds };
      settings.observer.verified(verified);
      // Tenants are told apart by their secret: nothing else about a tenant is covered by a signature.
      const tenant = settings.hasTenants ? sha256(secrets[secretIndex] ?? "") : "";
      return { claim, secrets, skewSeconds, receivedAt, verified, tenant };
    },
  );
}

/** Negative is the past; 0 within the signed minute. */
const measureSkew = ({ earliest, latest }: SignatureClaim["signedAt"], now: number): number =>
  Math.max(earliest - now, 0) || Math.min(latest - now, 0);

const outOfTolerance = (skewSeconds: number, toleranceSeconds: number): SignatureRefusal => ({
  reason: "timestamp_out_of_tolerance",
  message: `Timestamp lies ${skewSeconds} s from this clock, ${toleranceSeconds} s are allowed; is one of the clocks wrong?`,
});

const unknownTenant: SignatureRefusal = {
  reason: "unknown_tenant",
  message:
    "The secret function returned undefined: it knows no such tenant. Is the address on the company profile right?",
};

const noMatch: SignatureRefusal = {
  reason: "no_matching_secret",
  message: "No secret matches; is the secret the one on the company profile, to the letter?",
};

function schemeFailed(cause: unknown): never {
  if (isWebhookKitError(cause)) throw cause;
  throw new UnavailableError(
    "scheme_failed",
    "The signature scheme threw; the cause of this error is what it threw. Its read and verify must return, not throw.",
    { cause },
  );
}
