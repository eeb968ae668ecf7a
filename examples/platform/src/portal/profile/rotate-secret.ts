import { z } from "zod";
import { invalidRequest, ProblemError } from "../../problem/problem-error.ts";
import { isSealed, seal } from "../../store/seal.ts";
import { parseBody } from "../../validation/parse-body.ts";
import type { PortalDeps } from "../person/portal-deps.ts";
import type { SignedInPerson } from "../person/signed-in-person.ts";
import { type CheckView, checkEndpoint } from "./check-endpoint.ts";
import { checkScheme, secretField } from "./secret-field.ts";

// No address: that changes by the profile alone.
const rotationSchema = z.strictObject({ secret: secretField });

/** D-75 */
const overlapMs = 24 * 60 * 60_000;

/**
 * Signs with a new secret from now on, which the endpoint must know already. The old one helps out for a day, while the
 * receiver's instances change one by one; the one before that, from a rotation within the same day, no more (D-75).
 *
 * @returns the checks, made with the new secret alone
 * @throws {ProblemError} `invalid_request`, `profile_missing`, `endpoint_check_failed` with the checks, or
 *   `edit_conflict` when somebody else saved it meanwhile
 */
export async function rotateSecret(
  deps: PortalDeps,
  { organisationId }: SignedInPerson,
  body: unknown,
): Promise<CheckView[]> {
  const { secret } = parseBody(rotationSchema, body);
  const endpoint = await endpointOf(deps, organisationId);
  checkScheme(endpoint.scheme, secret);
  if (isSealed(secret, endpoint.sealed_secret, deps.sealKey, organisationId))
    throw invalidRequest(new Map([["secret", ["Give another one; this is the current secret."]]]));
  const checks = await checkEndpoint(deps, { ...endpoint, baseAddress: endpoint.base_address, secret });
  const now = deps.now();
  const { numUpdatedRows } = await deps.store.db
    .updateTable("endpoints")
    .set({
      sealed_secret: seal(secret, deps.sealKey, organisationId),
      previous_sealed_secret: endpoint.sealed_secret,
      previous_secret_until: new Date(now.getTime() + overlapMs),
      updated_at: now,
    })
    .where("organisation_id", "=", organisationId)
    // What was checked must be what is saved. A secret sealed anew never looks the same, so nothing was changed.
    .where("sealed_secret", "=", endpoint.sealed_secret)
    .executeTakeFirstOrThrow();
  if (numUpdatedRows === 0n)
    throw new ProblemError("edit_conflict", "Read the profile again; somebody saved it during the checks.");
  deps.signals.publish([
    { topic: "endpoint", organisationId },
    { topic: "delivery", organisationId },
  ]);
  return checks;
}

async function endpointOf({ store }: PortalDeps, organisationId: string) {
  const endpoint = await store.db
    .selectFrom("endpoints")
    .select(["base_address", "scheme", "sealed_secret"])
    .where("organisation_id", "=", organisationId)
    .executeTakeFirst();
  if (endpoint !== undefined) return endpoint;
  throw new ProblemError("profile_missing", "Save the profile with a base address and its first secret.");
}
