import type { PortalDeps } from "../person/portal-deps.ts";
import type { SignedInPerson } from "../person/signed-in-person.ts";
import { endpointHealthView } from "./endpoint-health-view.ts";
import { readEndpoint } from "./read-endpoint.ts";

/** The company profile, without secrets. */
export async function readProfile(deps: PortalDeps, { organisationId, organisationName }: SignedInPerson) {
  const endpoint = await readEndpoint(deps, organisationId);
  const now = deps.now();
  const until = endpoint?.previous_secret_until ?? null;
  return {
    organisation: { id: organisationId, name: organisationName },
    baseAddress: endpoint?.base_address ?? null,
    scheme: endpoint?.scheme ?? null,
    suggestsContacts: endpoint?.suggests_contacts ?? false,
    previousSecretUntil: until !== null && until > now ? until.toISOString() : null,
    health: endpoint ? endpointHealthView(endpoint, Number(endpoint.pending), now) : null,
    savedAt: endpoint?.updated_at.toISOString() ?? null,
  };
}
