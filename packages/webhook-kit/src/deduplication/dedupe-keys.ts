import { type Rejected, rejectSignature } from "../http/rejected.ts";
import type { VerifiedRequest } from "../signature/verify-signature.ts";
import { type EventSource, eventKey, keepMs, signatureKey } from "./request-key.ts";

/** A key that a request must acquire before its handler starts. */
export interface DedupeKey {
  readonly key: string;
  readonly subject?: string | undefined;
  /** Why another request with this key is rejected; left out, it is a duplicate (D-45). */
  readonly onConflict?: () => Rejected;
}

export interface DedupeKeys {
  readonly keys: readonly DedupeKey[];
  /** How long they are kept once the handler has succeeded. */
  readonly keepMs: number;
}

/**
 * Replay protection: an event has a key of its own; under `"single-use-signature"` every request also has one for its signature.
 *
 * @param event left out for a request that is handled each time it comes
 */
export function dedupeKeys(
  policy: {
    readonly replayProtection: "deduplicate" | "single-use-signature";
    readonly wwwAuthenticate: string;
    readonly toleranceMs: number;
  },
  request: VerifiedRequest,
  event: EventSource | undefined,
): DedupeKeys {
  const keys: DedupeKey[] = [];
  if (event) keys.push(eventKey(request, event));
  if (policy.replayProtection === "single-use-signature")
    keys.push({ key: signatureKey(request), onConflict: () => rejectSignature(reused, policy.wwwAuthenticate) });
  return { keys, keepMs: keepMs(request, policy.toleranceMs) };
}

/** A signature is then good for one request only (D-58). */
const reused = {
  reason: "signature_reused",
  message: "The signature came with another request before; does the service sign several within one minute?",
} as const;
