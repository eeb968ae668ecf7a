import { sql } from "kysely";
import type { PortalDeps, SignedInPerson } from "../person.ts";

export type EndpointRow = NonNullable<Awaited<ReturnType<typeof readEndpoint>>>;

/**
 * Reads the organisation's endpoint and its health, without secrets. Resolves with undefined if no profile is saved.
 *
 * @param only pass `unhealthy` to resolve with undefined for a healthy endpoint
 */
export const readEndpoint = ({ store }: PortalDeps, organisationId: string, only?: "unhealthy") =>
  store.db
    .selectFrom("endpoints")
    .$if(only === "unhealthy", (query) =>
      query.where((where) => where.or([where("disabled_at", "is not", null), where("failing_since", "is not", null)])),
    )
    .select(["base_address", "scheme", "suggests_contacts", "updated_at", "previous_secret_until"])
    .select(["consecutive_failures", "failing_since", "breaker_open_until", "disabled_at", "disabled_because"])
    .select(({ selectFrom, fn }) =>
      selectFrom("deliveries")
        .select(fn.countAll<number>().as("count"))
        .whereRef("deliveries.organisation_id", "=", "endpoints.organisation_id")
        .where("state", "=", sql.lit("pending" as const))
        .as("pending"),
    )
    .where("organisation_id", "=", organisationId)
    .executeTakeFirst();

/** Reads the base URL and the signature scheme for the organisation's webhooks. */
export const readTarget = ({ store }: PortalDeps, organisationId: string) =>
  store.db
    .selectFrom("endpoints")
    .select(["base_address", "scheme"])
    .where("organisation_id", "=", organisationId)
    .executeTakeFirst();

/** Reads the company profile, without secrets. */
export async function readProfile(deps: PortalDeps, { organisationId, organisationName }: SignedInPerson) {
  const endpoint = await readEndpoint(deps, organisationId);
  const now = deps.now();
  return {
    organisation: { id: organisationId, name: organisationName },
    baseAddress: endpoint?.base_address ?? null,
    scheme: endpoint?.scheme ?? null,
    suggestsContacts: endpoint?.suggests_contacts ?? false,
    previousSecretUntil: ifFuture(endpoint?.previous_secret_until, now),
    health: endpoint ? describeHealth(endpoint, now) : null,
    savedAt: endpoint?.updated_at ?? null,
  };
}

/** Describes an endpoint's health (D-72, D-73). */
const describeHealth = (endpoint: EndpointRow, now: Date) => ({
  failingSince: endpoint.failing_since,
  /** Set while the circuit breaker pauses deliveries to an enabled endpoint. */
  pausedUntil: endpoint.disabled_at === null ? ifFuture(endpoint.breaker_open_until, now) : null,
  disabledAt: endpoint.disabled_at,
  disabledBecause: endpoint.disabled_because,
  /** The number of pending deliveries, which are held while the endpoint is disabled; 0 while it is enabled. */
  held: endpoint.disabled_at === null ? 0 : Number(endpoint.pending),
});

const ifFuture = (time: Date | null | undefined, now: Date): Date | null => (time && time > now ? time : null);
