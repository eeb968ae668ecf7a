import { enableEndpoint, restartSchedules } from "../../delivery/enable-endpoint.ts";
import { ProblemError } from "../../problem/problem-error.ts";
import { decryptSecrets } from "../../store/encryption/encrypted-secrets.ts";
import type { PortalDeps } from "../person/portal-deps.ts";
import type { SignedInPerson } from "../person/signed-in-person.ts";
import { type CheckView, checkEndpoint } from "./check-endpoint.ts";

/**
 * Enables a disabled endpoint if it passes both checks (D-73).
 *
 * @returns the checks
 * @throws {ProblemError} `profile_missing`, or `endpoint_check_failed` with the checks
 */
export async function reenableEndpoint(deps: PortalDeps, { organisationId }: SignedInPerson): Promise<CheckView[]> {
  const endpoint = await deps.store.db
    .selectFrom("endpoints")
    .select(["base_address", "scheme", "encrypted_secret", "previous_encrypted_secret", "previous_secret_until"])
    .where("organisation_id", "=", organisationId)
    .executeTakeFirst();
  if (endpoint === undefined)
    throw new ProblemError("profile_missing", "Save the profile with a base address and its first secret.");
  const { base_address: baseAddress, scheme } = endpoint;
  const { secret } = decryptSecrets(endpoint, deps.encryptionKey, organisationId, deps.now());
  const checks = await checkEndpoint(deps, { baseAddress, scheme, secret });
  // A profile saved in the meantime has passed the checks too.
  await deps.store.transaction((trx) => enableEndpoint(trx, organisationId));
  await restartSchedules(deps.store, organisationId);
  deps.signals.publish([
    { topic: "endpoint", organisationId },
    { topic: "delivery", organisationId },
  ]);
  return checks;
}
