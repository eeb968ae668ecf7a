import type { Store } from "../store/store.ts";

/** How an endpoint is, for the profile page (D-72, D-73); undefined without one. */
export async function endpointHealthView({ db }: Store, organisationId: string, now: Date) {
  const endpoint = await db
    .selectFrom("endpoints")
    .select(["failing_since", "breaker_open_until", "disabled_at", "disabled_because"])
    .select(({ selectFrom, fn }) =>
      selectFrom("deliveries")
        .select(fn.countAll<number>().as("count"))
        .where("deliveries.organisation_id", "=", organisationId)
        .where("state", "=", "held")
        .as("held"),
    )
    .where("organisation_id", "=", organisationId)
    .executeTakeFirst();
  if (endpoint === undefined) return undefined;
  const { failing_since: failingSince, breaker_open_until: openUntil, disabled_at: disabledAt, held } = endpoint;
  return {
    failingSince: failingSince?.toISOString() ?? null,
    /** Nothing is attempted before. */
    pausedUntil: disabledAt === null && openUntil !== null && openUntil > now ? openUntil.toISOString() : null,
    disabledAt: disabledAt?.toISOString() ?? null,
    disabledBecause: endpoint.disabled_because,
    /** Deliveries that wait for the endpoint to be enabled. */
    held: Number(held),
  };
}
