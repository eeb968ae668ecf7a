import { type Kysely, type RawBuilder, type SqlBool, sql } from "kysely";
import { v7 as uuidv7 } from "uuid";
import { type Loop, runLoop } from "../outbox/timers.ts";
import { announce, type Store, type Trx } from "../store/store.ts";
import type { Tables } from "../store/tables.ts";
import { type DeliveryFilter, deliveryQuery, toFilterCondition } from "./find-deliveries.ts";
import { redeliverDeliveries } from "./redeliver.ts";

/** The states in which deliveries can be redelivered. */
export const redeliverableStates = ["dead", "not_implemented", "acknowledged"] as const;
export type RedeliverableState = (typeof redeliverableStates)[number];

/** The deliveries that a task would redeliver. */
export interface Redeliverable {
  counts: Record<RedeliverableState, number>;
  total: number;
  /** The last delivery that was counted. Later deliveries do not belong to the task. */
  lastSequence: number;
}

/** Builds a query for matching deliveries that can be redelivered. @param matches a condition from `toFilterCondition` */
const redeliverableQuery = (db: Kysely<Tables>, organisationId: string, matches: RawBuilder<SqlBool>) =>
  deliveryQuery(db, organisationId).where(matches).where("deliveries.state", "in", redeliverableStates);

/** Counts the matching deliveries that can be redelivered. */
export async function countRedeliverable(
  db: Kysely<Tables>,
  organisationId: string,
  filter: DeliveryFilter,
): Promise<Redeliverable> {
  const rows = await redeliverableQuery(db, organisationId, await toFilterCondition(db, organisationId, filter))
    .select("deliveries.state")
    .select(({ fn }) => [fn.countAll<string>().as("count"), fn.max("deliveries.sequence").as("last")])
    .groupBy("deliveries.state")
    .execute();
  const getCount = (state: RedeliverableState) => Number(rows.find((row) => row.state === state)?.count ?? 0);
  const counts = {
    dead: getCount("dead"),
    not_implemented: getCount("not_implemented"),
    acknowledged: getCount("acknowledged"),
  };
  return {
    counts,
    total: counts.dead + counts.not_implemented + counts.acknowledged,
    lastSequence: Math.max(0, ...rows.map(({ last }) => Number(last))),
  };
}

/**
 * Creates a task that redelivers the matching deliveries up to `lastSequence` in the background (D-149).
 *
 * @returns how many deliveries match
 */
export async function createRedeliveryTask(
  trx: Trx,
  organisationId: string,
  filter: DeliveryFilter,
  lastSequence: number,
): Promise<number> {
  const { total } = await redeliverableQuery(trx, organisationId, await toFilterCondition(trx, organisationId, filter))
    .where("deliveries.sequence", "<=", lastSequence)
    .select(({ fn }) => fn.countAll<string>().as("total"))
    .executeTakeFirstOrThrow();
  await trx
    .insertInto("redeliveries")
    .values({
      id: uuidv7(),
      organisation_id: organisationId,
      filter: JSON.stringify(filter),
      total: Number(total),
      last_sequence: lastSequence,
    })
    .execute();
  announce(trx, { topic: "delivery", organisationId });
  return Number(total);
}

export type RedeliveryTask = Awaited<ReturnType<typeof readRedeliveryTasks>>[number];

/** Reads the running tasks, and the tasks that finished after `finishedSince`, newest first. */
export const readRedeliveryTasks = ({ db }: Store, organisationId: string, finishedSince: Date) =>
  db
    .selectFrom("redeliveries")
    .select(["id", "total", "redelivered", "skipped", "created_at as createdAt", "finished_at as finishedAt"])
    .where("organisation_id", "=", organisationId)
    .where((where) => where.or([where("finished_at", "is", null), where("finished_at", ">", finishedSince)]))
    .orderBy("created_at", "desc")
    .execute();

/** The maximum number of deliveries per transaction. Other transactions wait for it. */
const batchSize = 50;
/** How often to check for unfinished tasks of killed processes. */
const idleMs = 30_000;

/** Runs the redelivery tasks of all organisations until it is stopped. Call `wake()` after committing a new task. */
export function startRedeliveryLoop(store: Store, onError: (error: unknown) => void): Loop {
  const tick = async () => {
    let taskId: string | undefined;
    const onChosen = (id: string) => {
      taskId = id;
    };
    try {
      const hasTask = await store.transaction((trx) => redeliverNextBatch(trx, onChosen));
      return hasTask ? 0 : idleMs;
    } catch (error) {
      // Without this, a task that always fails would block all others.
      if (taskId !== undefined) await moveToBackOfQueue(store, taskId).catch(onError);
      throw error;
    }
  };
  return runLoop(tick, onError);
}

const now = sql<Date>`now()`;

async function moveToBackOfQueue({ db }: Store, taskId: string): Promise<void> {
  await db.updateTable("redeliveries").set({ continued_at: now }).where("id", "=", taskId).execute();
}

/** Locks the unfinished task that has waited longest. Skips tasks that other processes have locked. */
const lockNextTask = (trx: Trx) =>
  trx
    .selectFrom("redeliveries")
    .selectAll()
    .where("finished_at", "is", null)
    .orderBy("continued_at")
    .limit(1)
    .forUpdate()
    .skipLocked()
    .executeTakeFirst();

/**
 * Redelivers the next batch of the task that has waited longest. Commits the task's position together with the batch, so that each
 * delivery is redelivered exactly once, even if the process is killed.
 *
 * @param onChosen called with the id of the task that was chosen
 * @returns whether there was an unfinished task
 */
async function redeliverNextBatch(trx: Trx, onChosen: (id: string) => void): Promise<boolean> {
  const task = await lockNextTask(trx);
  if (task === undefined) return false;
  const { id, organisation_id: organisationId } = task;
  onChosen(id);
  const matches = await toFilterCondition(trx, organisationId, parseFilter(task.filter));
  const rows = await redeliverableQuery(trx, organisationId, matches)
    .where("deliveries.sequence", ">", task.after_sequence)
    .where("deliveries.sequence", "<=", task.last_sequence)
    .select(["deliveries.id", "deliveries.sequence"])
    .orderBy("deliveries.sequence")
    .limit(batchSize)
    .execute();
  const ids = rows.map((row) => row.id);
  const outcomes = ids.length === 0 ? [] : [...(await redeliverDeliveries(trx, organisationId, ids)).values()];
  const redeliveredInBatch = outcomes.filter(({ outcome }) => outcome === "redelivered").length;
  const redelivered = task.redelivered + redeliveredInBatch;
  const isLastBatch = rows.length < batchSize;
  // At the end, also count the deliveries that matched when the task was created but no longer match.
  const skipped = isLastBatch
    ? Math.max(0, task.total - redelivered)
    : task.skipped + outcomes.length - redeliveredInBatch;
  await trx
    .updateTable("redeliveries")
    .set({
      redelivered,
      skipped,
      after_sequence: rows.at(-1)?.sequence ?? task.after_sequence,
      continued_at: now,
      ...(isLastBatch && { finished_at: now }),
    })
    .where("id", "=", id)
    .execute();
  announce(trx, { topic: "delivery", organisationId });
  return true;
}

/** Parses a stored filter, in which times are strings. */
function parseFilter(stored: object): DeliveryFilter {
  const { since, until, ...filter } = stored as Omit<DeliveryFilter, "since" | "until"> &
    Record<"since" | "until", string>;
  return { ...filter, ...(since && { since: new Date(since) }), ...(until && { until: new Date(until) }) };
}
