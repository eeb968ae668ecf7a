import { endpointHealthView } from "../delivery/endpoint-health-view.ts";
import type { EndpointCheck } from "../outbound/test-endpoint.ts";
import type { PortalDeps } from "./portal-deps.ts";
import type { SignedInPerson } from "./signed-in-person.ts";

/** The company profile as it may be shown: never with a secret. */
export async function readProfile({ store, now }: PortalDeps, { organisationId, organisationName }: SignedInPerson) {
  const endpoint = await store.db
    .selectFrom("endpoints")
    .select(["base_address", "scheme", "suggests_contacts", "previous_secret_until", "updated_at"])
    .where("organisation_id", "=", organisationId)
    .executeTakeFirst();
  const until = endpoint?.previous_secret_until ?? null;
  return {
    organisation: { id: organisationId, name: organisationName },
    baseAddress: endpoint?.base_address ?? null,
    scheme: endpoint?.scheme ?? null,
    suggestsContacts: endpoint?.suggests_contacts ?? false,
    previousSecretUntil: until !== null && until > now() ? until.toISOString() : null,
    health: (await endpointHealthView(store, organisationId, now())) ?? null,
    savedAt: endpoint?.updated_at.toISOString() ?? null,
  };
}

/** A check as the profile page shows it. */
export const checkView = ({ contentType, status, failure, durationMs, answer, ...check }: EndpointCheck) => ({
  ...check,
  status: status ?? null,
  failure: failure ?? null,
  contentType: contentType ?? null,
  answer: answer ?? null,
  milliseconds: durationMs,
});

export type CheckView = ReturnType<typeof checkView>;
