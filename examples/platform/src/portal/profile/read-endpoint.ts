import { sql } from "kysely";
import type { PortalDeps } from "../person/portal-deps.ts";

export type ReadEndpoint = NonNullable<Awaited<ReturnType<typeof readEndpoint>>>;

/** The organisation's endpoint and its health, without secrets; undefined before the profile is first saved. */
export const readEndpoint = ({ store }: PortalDeps, organisationId: string) =>
  store.db
    .selectFrom("endpoints")
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
