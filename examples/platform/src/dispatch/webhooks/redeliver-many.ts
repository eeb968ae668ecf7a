import type { Store } from "../../store/store.ts";
import type { DeliveryState } from "../../store/tables.ts";
import { redeliverThese } from "./redeliver.ts";

export interface RedeliveryRange {
  /** When the events happened: from here. */
  since: Date;
  /** Before here. */
  until?: Date | undefined;
  states: readonly Extract<DeliveryState, "dead" | "acknowledged">[];
}

export interface RedeliveryCounts {
  redelivered: number;
  /** Left alone for a later response of the same worker to the same offer. */
  superseded: number;
}

/** Of one transaction: thousands of rows would block all others for seconds. */
const maxRows = 500;

/**
 * Redelivers all of a range, oldest first, in batches (D-74). Asked again it redelivers what has settled meanwhile, and
 * nothing that waits.
 */
export async function redeliverMany(
  store: Store,
  organisationId: string,
  range: RedeliveryRange,
): Promise<RedeliveryCounts> {
  const counts = { redelivered: 0, superseded: 0 };
  const { last } = await store.db
    .selectFrom("deliveries")
    .select(({ fn }) => fn.max("sequence").as("last"))
    .where("organisation_id", "=", organisationId)
    .executeTakeFirstOrThrow();
  // Nothing that the batches themselves add.
  let after: number | undefined = last === null ? undefined : 0;
  while (after !== undefined) after = await redeliverBatch(store, organisationId, { ...range, after, last }, counts);
  return counts;
}

/** @returns where the next batch begins; undefined when there is none */
function redeliverBatch(
  store: Store,
  organisationId: string,
  { since, until, states, after, last }: RedeliveryRange & { after: number; last: number },
  counts: RedeliveryCounts,
): Promise<number | undefined> {
  return store.transaction(async (trx) => {
    const rows = await trx
      .selectFrom("deliveries")
      .innerJoin("events", "events.id", "event_id")
      .select(["deliveries.id", "sequence"])
      .where("deliveries.organisation_id", "=", organisationId)
      .where("sequence", ">", after)
      .where("sequence", "<=", last)
      .where("state", "in", states)
      .where("events.created_at", ">=", since)
      .$if(until !== undefined, (query) => query.where("events.created_at", "<", until ?? since))
      .orderBy("sequence")
      .limit(maxRows)
      .execute();
    if (rows.length === 0) return undefined;
    const ids = rows.map(({ id }) => id);
    for (const { outcome } of (await redeliverThese(trx, organisationId, ids)).values())
      if (outcome === "redelivered" || outcome === "superseded") counts[outcome] += 1;
    return rows.at(-1)?.sequence;
  });
}
