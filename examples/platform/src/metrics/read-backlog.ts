import { sql } from "kysely";
import { type ShownState, shownState } from "../delivery/shown-state.ts";
import type { Store } from "../store/store.ts";
import { withTimeout } from "../timers/with-timeout.ts";

/** Waiting work, over all processes. */
export interface Backlog {
  deliveries: Record<Exclude<ShownState, "acknowledged">, number>;
  /** 0 when none is due. */
  lagSeconds: number;
  openBreakers: number;
  disabledEndpoints: number;
  unsentNotifications: number;
  unsentMails: number;
}

const limitMs = 2_000;

/** Rejects after two seconds. Partial indexes make its cost proportional to the backlog. */
export async function readBacklog(store: Store, now: Date): Promise<Backlog> {
  const reading = Promise.all([countRows(store, now), countStates(store), oldestDue(store, now)]);
  const [counts, states, dueSince] = await withTimeout(reading, limitMs);
  const deliveries = { pending: 0, held: 0, dead: 0, ...Object.fromEntries(states) };
  const lagSeconds = dueSince === undefined ? 0 : (now.getTime() - dueSince.getTime()) / 1_000;
  return { deliveries, lagSeconds, ...counts };
}

async function countRows(store: Store, now: Date) {
  const { rows } = await sql<Omit<Backlog, "deliveries" | "lagSeconds">>`select
    (select count(*) from endpoints where breaker_open_until > ${now}) as "openBreakers",
    (select count(*) from endpoints where disabled_at is not null) as "disabledEndpoints",
    (select count(*) from notifications where due_at is not null) as "unsentNotifications",
    (select count(*) from mails where due_at is not null) as "unsentMails"
  `.execute(store.db);
  const [counts] = rows;
  if (counts === undefined) throw new Error("an aggregate always returns one row");
  return counts;
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

/** Without deliveries of disabled endpoints and of open circuit breakers. */
async function oldestDue({ db }: Store, now: Date): Promise<Date | undefined> {
  const oldest = await db
    .selectFrom("deliveries")
    .innerJoin("endpoints", "endpoints.organisation_id", "deliveries.organisation_id")
    .select("due_at")
    .where("due_at", "<=", now)
    .where("disabled_at", "is", null)
    .where(({ eb, or }) => or([eb("breaker_open_until", "is", null), eb("breaker_open_until", "<=", now)]))
    .orderBy("due_at")
    .limit(1)
    .executeTakeFirst();
  return oldest?.due_at ?? undefined;
}
