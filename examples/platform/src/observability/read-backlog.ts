import { sql } from "kysely";
import { withTimeout } from "../dispatch/outbox/timers.ts";
import { type ShownState, shownState } from "../dispatch/webhooks/disabled-endpoint.ts";
import type { Store } from "../store/store.ts";

/** Waiting work, over all processes. */
export interface Backlog {
  deliveries: Record<Exclude<ShownState, "acknowledged">, number>;
  /** How long the oldest delivery that can be attempted has been due; 0 when none is. */
  lagSeconds: number;
  openBreakers: number;
  disabledEndpoints: number;
  unsentNotifications: number;
  unsentMails: number;
}

const limitMs = 2_000;

/** Rejects after two seconds. Partial indexes make its cost proportional to the backlog. */
export async function readBacklog(store: Store, now: Date): Promise<Backlog> {
  const [totals, states] = await withTimeout(Promise.all([readTotals(store, now), countStates(store)]), limitMs);
  return { deliveries: { pending: 0, held: 0, dead: 0, ...Object.fromEntries(states) }, ...totals };
}

async function readTotals({ db }: Store, now: Date): Promise<Omit<Backlog, "deliveries">> {
  const { rows } = await sql<Omit<Backlog, "deliveries">>`select
    (select count(*) from endpoints where breaker_open_until > ${now}) as "openBreakers",
    (select count(*) from endpoints where disabled_at is not null) as "disabledEndpoints",
    (select count(*) from notifications where due_at is not null) as "unsentNotifications",
    (select count(*) from mails where due_at is not null) as "unsentMails",
    coalesce((
      select extract(epoch from ${now}::timestamptz - due_at)::float8
      from deliveries join endpoints using (organisation_id)
      where due_at <= ${now} and disabled_at is null and (breaker_open_until <= ${now}) is not false
      order by due_at limit 1
    ), 0) as "lagSeconds"`.execute(db);
  const [totals] = rows;
  if (totals === undefined) throw new Error("a select without from returns one row");
  return totals;
}

async function countStates({ db }: Store): Promise<[ShownState, number][]> {
  const rows = await db
    .selectFrom("deliveries")
    .select(({ fn }) => [shownState.as("state"), fn.countAll<number>().as("count")])
    .where("state", "!=", sql.lit("acknowledged" as const))
    .groupBy(shownState)
    .execute();
  return rows.map(({ state, count }) => [state, count]);
}
