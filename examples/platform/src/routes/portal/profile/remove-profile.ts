import { ProblemError } from "../../../http/problem.ts";
import type { PortalDeps, SignedInPerson } from "../person.ts";
import { publishEndpointChange } from "./check-endpoint.ts";

/**
 * Removes the base URL and its secrets (D-120). Pending deliveries are held until a base URL is saved again. New events are
 * not delivered, even later.
 *
 * @throws {ProblemError} `profile_missing`
 */
export async function removeProfile(deps: PortalDeps, { organisationId }: SignedInPerson): Promise<void> {
  const { numDeletedRows } = await deps.store.db
    .deleteFrom("endpoints")
    .where("organisation_id", "=", organisationId)
    .executeTakeFirstOrThrow();
  if (numDeletedRows === 0n) throw new ProblemError("profile_missing", "There is no base URL to remove.");
  publishEndpointChange(deps, organisationId);
}
