import { z } from "zod";
import { invalidRequest, ProblemError } from "../../problem/problem-error.ts";
import { encrypt, matchesEncrypted } from "../../store/encryption/encrypt.ts";
import { parseBody } from "../../validation/parse-body.ts";
import type { PortalDeps } from "../person/portal-deps.ts";
import type { SignedInPerson } from "../person/signed-in-person.ts";
import { type CheckView, checkEndpoint } from "./check-endpoint.ts";
import { checkScheme, secretField } from "./secret-field.ts";

const rotationSchema = z.strictObject({ secret: secretField });

/** The overlap of rotated secrets (D-75). */
const overlapMs = 24 * 60 * 60_000;

/**
 * Secret rotation. The endpoint must accept the new one already. The old one remains valid for an overlap of 24 hours, while
 * the receiver's instances change; a still older one, from a rotation within that time, ends (D-75).
 *
 * @returns the checks, made with the new secret only
 * @throws {ProblemError} `invalid_request`, `profile_missing`, `endpoint_check_failed` with the checks, or
 *   `edit_conflict` when the profile was saved during the checks
 */
export async function rotateSecret(
  deps: PortalDeps,
  { organisationId }: SignedInPerson,
  body: unknown,
): Promise<CheckView[]> {
  const { secret } = parseBody(rotationSchema, body);
  const endpoint = await endpointOf(deps, organisationId);
  checkScheme(endpoint.scheme, secret);
  if (matchesEncrypted(secret, endpoint.encrypted_secret, deps.encryptionKey, organisationId))
    throw invalidRequest(new Map([["secret", ["Choose another secret; this is the current one."]]]));
  const checks = await checkEndpoint(deps, { ...endpoint, baseAddress: endpoint.base_address, secret });
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
    // The checked profile must be unchanged. Every encryption of a secret differs, so this detects any save.
    .where("encrypted_secret", "=", endpoint.encrypted_secret)
    .executeTakeFirstOrThrow();
  if (numUpdatedRows === 0n)
    throw new ProblemError("edit_conflict", "The profile was saved during the checks. Reload it and try again.");
  deps.signals.publish([
    { topic: "endpoint", organisationId },
    { topic: "delivery", organisationId },
  ]);
  return checks;
}

async function endpointOf({ store }: PortalDeps, organisationId: string) {
  const endpoint = await store.db
    .selectFrom("endpoints")
    .select(["base_address", "scheme", "encrypted_secret"])
    .where("organisation_id", "=", organisationId)
    .executeTakeFirst();
  if (endpoint !== undefined) return endpoint;
  throw new ProblemError("profile_missing", "Save the profile with a base address and its first secret.");
}
