import { sql } from "kysely";
import { v7 as uuidv7 } from "uuid";
import { lockSettlingExclusively, wakeLanes } from "../outbox/queue.ts";
import { announce, type Store, type Trx } from "../store/store.ts";
import type { DeliveryState } from "../store/tables.ts";
import { makeNextDue } from "./settle-attempts.ts";

/** The outcome of a redelivery (D-74). */
export type Redelivery =
  /** Redelivered under `id`. An acknowledged delivery gets a new id, and any other delivery keeps its id. */
  | { outcome: "redelivered"; id: string }
  /** The organisation has no such delivery. */
  | { outcome: "unknown" }
  /** The delivery is pending. */
  | { outcome: "waiting" }
  /** The worker has sent a later response to the same offer, which must stay the latest (D-32). */
  | { outcome: "superseded" }
  /** Another delivery has already redelivered it. */
  | { outcome: "repeated" };

/** Redelivers one of the organisation's deliveries. */
export async function redeliver(store: Store, organisationId: string, deliveryId: string): Promise<Redelivery> {
  const redeliveries = await store.transaction((trx) => redeliverDeliveries(trx, organisationId, [deliveryId]));
  return redeliveries.get(deliveryId) ?? { outcome: "unknown" };
}

interface RedeliveryCandidate {
  id: string;
  organisation_id: string;
  event_id: string;
  order_key: string;
  state: DeliveryState;
  superseded: boolean;
  repeated: boolean;
}

/**
 * Redelivers acknowledged deliveries under a new id and all others under the same id. Restarts their retry schedules and announces
 * them.
 *
 * @returns the outcomes, keyed by id; unknown ids have no entry
 */
export async function redeliverDeliveries(
  trx: Trx,
  organisationId: string,
  deliveryIds: readonly string[],
): Promise<Map<string, Redelivery>> {
  // Without this lock, a concurrent transaction that settles deliveries would not see the rows that this transaction makes pending,
  // and this transaction would not see the rows that the concurrent one makes due.
  await lockSettlingExclusively(trx, "webhooks");
  const candidates = await lockCandidates(trx, organisationId, deliveryIds);
  const redeliveries = new Map(candidates.map((candidate) => [candidate.id, classifyRedelivery(candidate)]));
  const redeliverable = candidates.filter(({ id }) => redeliveries.get(id)?.outcome === "redelivered");
  if (redeliverable.length === 0) return redeliveries;
  await reopenDeliveries(
    trx,
    redeliverable.filter(({ state }) => state !== "acknowledged"),
  );
  const copies = await copyAcknowledgedDeliveries(
    trx,
    redeliverable.filter(({ state }) => state === "acknowledged"),
  );
  for (const { id, redelivery_of } of copies) redeliveries.set(redelivery_of, { outcome: "redelivered", id });
  await makeNextDue(trx, redeliverable);
  await wakeLanes(trx, "webhooks", [organisationId]);
  announce(trx, { topic: "delivery", organisationId });
  return redeliveries;
}

/** Makes deliveries that were not acknowledged pending again, and restarts their retry schedules. */
async function reopenDeliveries(trx: Trx, unacknowledged: readonly RedeliveryCandidate[]): Promise<void> {
  if (unacknowledged.length === 0) return;
  const ids = unacknowledged.map(({ id }) => id);
  await trx
    .updateTable("deliveries")
    .set({ state: "pending", attempts: 0, settled_at: null })
    .where("id", "in", ids)
    .execute();
}

/** Inserts a pending delivery with a new id for each acknowledged delivery. @returns the inserted rows */
async function copyAcknowledgedDeliveries(trx: Trx, acknowledged: readonly RedeliveryCandidate[]) {
  const copies = acknowledged.map(({ id, event_id, organisation_id, order_key }) => ({
    id: uuidv7(),
    event_id,
    organisation_id,
    order_key,
    redelivery_of: id,
  }));
  if (copies.length > 0) await trx.insertInto("deliveries").values(copies).execute();
  return copies;
}

/**
 * Locks the deliveries to redeliver and the failed ones with the same order keys, and only then looks for later deliveries. A
 * transaction that records or redelivers a later delivery also locks these rows. Pending rows are not locked.
 */
async function lockCandidates(
  trx: Trx,
  organisationId: string,
  ids: readonly string[],
): Promise<RedeliveryCandidate[]> {
  await sql`
    with candidates as materialized (
      select id, order_key from deliveries where organisation_id = ${organisationId} and id in (${sql.join(ids)}))
    select id from deliveries
    where organisation_id = ${organisationId} and order_key = any (array(select order_key from candidates))
      and (state = 'dead' or (state <> 'pending' and id = any (array(select id from candidates))))
    order by sequence
    for update`.execute(trx);
  const isLaterDelivery = sql`later.organisation_id = deliveries.organisation_id and later.order_key = deliveries.order_key
    and later.sequence > deliveries.sequence`;
  const { rows } = await sql<RedeliveryCandidate>`
    select id, organisation_id, event_id, order_key, state,
      exists (select from deliveries as later where ${isLaterDelivery} and later.event_id <> deliveries.event_id
        and (deliveries.state = 'acknowledged' or later.state <> 'dead')) as superseded,
      exists (select from deliveries as later where ${isLaterDelivery} and later.event_id = deliveries.event_id) as repeated
    from deliveries
    where organisation_id = ${organisationId} and id in (${sql.join(ids)})
    order by sequence`.execute(trx);
  return rows;
}

function classifyRedelivery({ id, state, superseded, repeated }: RedeliveryCandidate): Redelivery {
  if (state === "pending") return { outcome: "waiting" };
  if (superseded) return { outcome: "superseded" };
  return repeated ? { outcome: "repeated" } : { outcome: "redelivered", id };
}

export interface RedeliveryRange {
  /** Selects events created at this time or later. */
  since: Date;
  /** Selects events created before this time. */
  until?: Date | undefined;
  states: readonly Exclude<DeliveryState, "pending">[];
}

export interface RedeliveryCounts {
  redelivered: number;
  /** How many deliveries were skipped because the same worker has sent a later response to the same offer. */
  superseded: number;
}

/** The maximum number of rows per transaction. Thousands of rows would block all other transactions for seconds. */
const maxRedelivered = 500;

/**
 * Redelivers the deliveries in `range`, oldest first, in batches (D-74). Skips deliveries that a later response superseded or that have
 * already been redelivered. Call it again to redeliver the deliveries that have settled since.
 */
export async function redeliverAllInRange(
  store: Store,
  organisationId: string,
  range: RedeliveryRange,
): Promise<RedeliveryCounts> {
  const counts = { redelivered: 0, superseded: 0 };
  // Read the last sequence first, to exclude deliveries that the batches themselves add.
  const { lastSequence } = await store.db
    .selectFrom("deliveries")
    .select(({ fn }) => fn.max("sequence").as("lastSequence"))
    .where("organisation_id", "=", organisationId)
    .executeTakeFirstOrThrow();
  let after: number | undefined = lastSequence === null ? undefined : 0;
  while (after !== undefined)
    after = await redeliverBatch(store, organisationId, { ...range, after, lastSequence }, counts);
  return counts;
}

/** Redelivers one batch and adds to `counts`. @returns the sequence after which the next batch starts; undefined after the last batch */
function redeliverBatch(
  store: Store,
  organisationId: string,
  { since, until, states, after, lastSequence }: RedeliveryRange & { after: number; lastSequence: number },
  counts: RedeliveryCounts,
): Promise<number | undefined> {
  return store.transaction(async (trx) => {
    const rows = await trx
      .selectFrom("deliveries")
      .innerJoin("events", "events.id", "event_id")
      .select(["deliveries.id", "sequence"])
      .where("deliveries.organisation_id", "=", organisationId)
      .where("sequence", ">", after)
      .where("sequence", "<=", lastSequence)
      .where("state", "in", states)
      .where("events.created_at", ">=", since)
      .$if(until !== undefined, (query) => query.where("events.created_at", "<", until as Date))
      .orderBy("sequence")
      .limit(maxRedelivered)
      .execute();
    if (rows.length === 0) return undefined;
    const ids = rows.map(({ id }) => id);
    const redeliveries = await redeliverDeliveries(trx, organisationId, ids);
    for (const { outcome } of redeliveries.values())
      if (outcome === "redelivered" || outcome === "superseded") counts[outcome] += 1;
    return rows.at(-1)?.sequence;
  });
}

/** Why an organisation's deliveries cannot be attempted now. */
export type BlockedReason = "no_endpoint" | "disabled";

/** The outcome of a retry that a user requested (D-130). */
export type Retry =
  /** The delivery with this id is attempted now: the requested delivery, or an earlier one that it is waiting for. */
  | { outcome: "retried"; id: string }
  /** The organisation has no such delivery. */
  | { outcome: "unknown" }
  /** The delivery was already acknowledged or has failed. */
  | { outcome: "settled" }
  | { outcome: BlockedReason };

/**
 * Makes a pending delivery due now. Restarts its retry schedule, so that manual retries during an outage do not use it up. To
 * preserve the order, only the oldest delivery with the same order key becomes due. An attempt in flight continues.
 *
 * @param now the time according to the circuit breaker's clock
 */
export function retryNow(store: Store, organisationId: string, deliveryId: string, now: Date): Promise<Retry> {
  return store.transaction(async (trx) => {
    // Without this lock, a concurrent transaction that settles the delivery could overwrite the due time.
    await lockSettlingExclusively(trx, "webhooks");
    const delivery = await trx
      .selectFrom("deliveries")
      .select(["order_key", "state"])
      .where("organisation_id", "=", organisationId)
      .where("id", "=", deliveryId)
      .executeTakeFirst();
    if (delivery === undefined) return { outcome: "unknown" };
    if (delivery.state !== "pending") return { outcome: "settled" };
    const blockedReason = await endPause(trx, organisationId, now);
    if (blockedReason !== undefined) return { outcome: blockedReason };
    const { id } = await trx
      .updateTable("deliveries")
      .set({ attempts: 0, due_at: sql<Date>`least(due_at, now())` })
      .where("organisation_id", "=", organisationId)
      .where("order_key", "=", delivery.order_key)
      .where("due_at", "is not", null)
      .returning("id")
      .executeTakeFirstOrThrow();
    return { outcome: "retried", id };
  });
}

/**
 * Makes all pending deliveries of the organisation due now, in order, and restarts their retry schedules.
 *
 * @returns why the deliveries cannot be attempted; undefined if they are due now
 */
export async function retryAllNow(store: Store, organisationId: string, now: Date): Promise<BlockedReason | undefined> {
  const blockedReason = await store.transaction((trx) => endPause(trx, organisationId, now));
  if (blockedReason === undefined) await restartSchedules(store, organisationId);
  return blockedReason;
}

/**
 * Ends the pause of the circuit breaker (D-72) and wakes the lane. The next attempt is the probe, which closes the breaker or opens it
 * again. To prevent deadlocks, every transaction locks endpoints before deliveries.
 */
async function endPause(trx: Trx, organisationId: string, now: Date): Promise<BlockedReason | undefined> {
  const endpoint = await trx
    .selectFrom("endpoints")
    .select(["disabled_at", "breaker_open_until"])
    .where("organisation_id", "=", organisationId)
    .forUpdate()
    .executeTakeFirst();
  if (endpoint === undefined) return "no_endpoint";
  if (endpoint.disabled_at !== null) return "disabled";
  if (endpoint.breaker_open_until !== null && endpoint.breaker_open_until > now)
    await trx
      .updateTable("endpoints")
      .set({ breaker_open_until: now })
      .where("organisation_id", "=", organisationId)
      .execute();
  await wakeLanes(trx, "webhooks", [organisationId]);
  announce(trx, { topic: "endpoint", organisationId }, { topic: "delivery", organisationId });
  return undefined;
}

/** The maximum number of rows per transaction. A hundred thousand rows would block all other transactions for seconds. */
const maxRestarted = 1_000;

/**
 * Makes the deliveries that the endpoint's failures delayed due now, and restarts their retry schedules (D-73). Call it when the
 * endpoint has passed its checks, possibly at a new URL. If interrupted, the remaining deliveries keep their due times.
 */
export async function restartSchedules(store: Store, organisationId: string): Promise<void> {
  let after: number | undefined = 0;
  while (after !== undefined) after = await restartBatch(store, organisationId, after);
}

/**
 * Restarts one batch. The lock waits for transactions that settle deliveries, so that those deliveries are restarted too. Only
 * deliveries with a due time can have been attempted, because each is the oldest with its order key.
 *
 * @returns the sequence after which the next batch starts; undefined after the last batch
 */
function restartBatch(store: Store, organisationId: string, after: number): Promise<number | undefined> {
  return store.transaction(async (trx) => {
    await lockSettlingExclusively(trx, "webhooks");
    const { rows } = await sql<{ sequence: number }>`
      update deliveries set attempts = 0, due_at = least(due_at, now())
      where organisation_id = ${organisationId} and sequence = any (array(
        select sequence from deliveries
        where organisation_id = ${organisationId} and due_at is not null and sequence > ${after}
          and (attempts > 0 or due_at > now())
        order by sequence
        limit ${maxRestarted}
        for update
      ))
      returning sequence`.execute(trx);
    if (rows.length > 0) {
      await wakeLanes(trx, "webhooks", [organisationId]);
      announce(trx, { topic: "delivery", organisationId });
    }
    if (rows.length < maxRestarted) return undefined;
    return Math.max(...rows.map(({ sequence }) => sequence));
  });
}
