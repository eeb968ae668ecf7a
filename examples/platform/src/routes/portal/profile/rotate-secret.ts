import { z } from "zod";
import type { EndpointCheck } from "../../../endpoint-client/test-endpoint.ts";
import { invalidRequest, ProblemError } from "../../../http/problem.ts";
import { encrypt, matchesEncrypted } from "../../../store/encrypt.ts";
import type { PortalDeps, SignedInPerson } from "../person.ts";
import {
  checkEndpoint,
  checkSecretForScheme,
  publishEndpointChange,
  requireSavedEndpoint,
  secretField,
} from "./check-endpoint.ts";

export const rotationSchema = z.strictObject({ secret: secretField });

/** The rotation overlap: how long both secrets are valid after a rotation (D-75). */
const overlapMs = 24 * 60 * 60_000;

/**
 * Replaces the secret with a new one that the endpoint already accepts. The old secret stays valid for 24 hours, while the
 * receiver's instances are updated. A secret that an earlier rotation replaced becomes invalid (D-75).
 *
 * @returns the checks, which used only the new secret
 * @throws {ProblemError} `invalid_request`, `profile_missing`, `endpoint_check_failed` with the checks, or
 *   `edit_conflict` if a secret was saved during the checks
 */
export async function rotateSecret(
  deps: PortalDeps,
  { organisationId }: SignedInPerson,
  { secret }: z.infer<typeof rotationSchema>,
): Promise<EndpointCheck[]> {
  const endpoint = await requireSavedEndpoint(deps, organisationId);
  checkSecretForScheme(endpoint.scheme, secret);
  if (matchesEncrypted(secret, endpoint.encrypted_secret, deps.encryptionKey, organisationId))
    throw invalidRequest(new Map([["secret", ["Choose a different secret. This is the current one."]]]));
  const checks = await checkEndpoint(deps, { ...endpoint, secret });
  const now = deps.now();
  const { numUpdatedRows } = await deps.store.db
    .updateTable("endpoints")
    .set({
      encrypted_secret: encrypt(secret, deps.encryptionKey, organisationId),
      previous_encrypted_secret: endpoint.encrypted_secret,
      previous_secret_until: new Date(now.getTime() + overlapMs),
      updated_at: now,
    })
    .where("organisation_id", "=", organisationId)
    // Detects any secret saved during the checks, because encrypting even the same secret again produces a different value.
    .where("encrypted_secret", "=", endpoint.encrypted_secret)
    .executeTakeFirstOrThrow();
  if (numUpdatedRows === 0n)
    throw new ProblemError(
      "edit_conflict",
      "Someone else saved the profile during the checks. Reload it and try again.",
    );
  publishEndpointChange(deps, organisationId);
  return checks;
}
