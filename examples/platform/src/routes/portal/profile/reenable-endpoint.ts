import type { EndpointCheck } from "../../../endpoint-client/test-endpoint.ts";
import { decryptSecrets } from "../../../store/encrypt.ts";
import { enableEndpoint } from "../../../webhooks/disabled-endpoint.ts";
import { restartSchedules } from "../../../webhooks/redeliver.ts";
import type { PortalDeps, SignedInPerson } from "../person.ts";
import { checkEndpoint, requireSavedEndpoint } from "./check-endpoint.ts";

/**
 * Enables a disabled endpoint and restarts its retry schedules if it passes both checks (D-73).
 *
 * @returns the checks
 * @throws {ProblemError} `profile_missing`, or `endpoint_check_failed` with the checks
 */
export async function reenableEndpoint(deps: PortalDeps, { organisationId }: SignedInPerson): Promise<EndpointCheck[]> {
  const endpoint = await requireSavedEndpoint(deps, organisationId);
  const { secret } = decryptSecrets(endpoint, deps.encryptionKey, organisationId, deps.now());
  const checks = await checkEndpoint(deps, { ...endpoint, secret });
  // If the profile was saved in the meantime, it has passed the checks too.
  await deps.store.transaction((trx) => enableEndpoint(trx, organisationId, deps.linkTo));
  await restartSchedules(deps.store, organisationId);
  return checks;
}
