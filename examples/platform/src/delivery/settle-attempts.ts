import { sql } from "kysely";
import type { ClaimedJob, JobToEnqueue, Queue } from "../queue/queue.ts";
import type { Trx } from "../store/store.ts";
import type { Attempt } from "./attempt-delivery.ts";
import type { PendingDelivery } from "./pending-delivery.ts";

/** An attempt that was made, with what follows from it. */
export interface MadeAttempt {
  job: ClaimedJob;
  delivery: PendingDelivery;
  attempt: Attempt;
  outcome: "acknowledged" | "retry" | "dead";
  /** Set when the outcome is `retry`. */
  nextAttemptAt?: Date;
}

interface SettledRow {
  id: string;
  organisation_id: string;
  order_key: string;
}

/** Writes a group of attempts: the attempts, their deliveries, and the jobs that follow. */
export async function settleAttempts(trx: Trx, queue: Queue, made: readonly MadeAttempt[]): Promise<void> {
  await insertAttempts(trx, made);
  const settled = await updateDeliveries(trx, made);
  const ours = new Set(settled.map(({ id }) => id));
  const again = made.filter(({ delivery, outcome }) => outcome === "retry" && ours.has(delivery.id));
  const done = made.filter((each) => !again.includes(each));
  const deferred = again.map(({ job, delivery, nextAttemptAt }) => {
    return { ...job, ...jobOf({ ...delivery, next_attempt_at: nextAttemptAt }) };
  });
  await queue.defer(trx, "deliveries", deferred);
  const jobs = done.map(({ job }) => job);
  await queue.settle(trx, "deliveries", jobs);
  const final = new Set(done.map(({ delivery }) => delivery.id));
  const next = await nextInOrder(
    trx,
    settled.filter(({ id }) => final.has(id)),
  );
  await queue.enqueue(trx, "deliveries", next.map(jobOf));
}

/** The wake-up of a pending delivery, not before its next attempt is due. */
export function jobOf(row: { id: string; organisation_id: string; next_attempt_at?: Date | undefined }): JobToEnqueue {
  const { id: key, organisation_id: group, next_attempt_at: startAfter } = row;
  return startAfter === undefined ? { key, group } : { key, group, startAfter };
}

async function insertAttempts(trx: Trx, made: readonly MadeAttempt[]): Promise<void> {
  const rows = made.map(({ delivery, attempt }) => ({
    delivery_id: delivery.id,
    number: attempt.number,
    method: attempt.method,
    path: attempt.filledPath,
    started_at: attempt.startedAt,
    duration_ms: attempt.durationMs,
    status: attempt.status ?? null,
    error: attempt.failure ?? null,
  }));
  await trx.insertInto("attempts").values(rows).execute();
}

/** @returns the deliveries that changed: not those that another process settled after our lease had ended */
async function updateDeliveries(trx: Trx, made: readonly MadeAttempt[]): Promise<SettledRow[]> {
  const outcomes = made.map(({ delivery, attempt, outcome, nextAttemptAt }) => ({
    id: delivery.id,
    attempts: attempt.number,
    state: outcome === "retry" ? "pending" : outcome,
    next_attempt_at: nextAttemptAt,
  }));
  const { rows } = await sql<SettledRow>`
    update deliveries set
      state = outcome.state,
      attempts = outcome.attempts,
      next_attempt_at = coalesce(outcome.next_attempt_at, deliveries.next_attempt_at),
      settled_at = case when outcome.state = 'pending' then null else now() end
    from json_to_recordset(${JSON.stringify(outcomes)}::text::json)
      as outcome (id text, attempts integer, state text, next_attempt_at timestamptz)
    where deliveries.id = outcome.id and deliveries.state = 'pending' and deliveries.attempts = outcome.attempts - 1
    returning deliveries.id, deliveries.organisation_id, deliveries.order_key`.execute(trx);
  return rows;
}

/** The oldest pending deliveries behind the ones now settled. They had no job: it was not their turn. */
async function nextInOrder(trx: Trx, settled: readonly SettledRow[]) {
  if (settled.length === 0) return [];
  return trx
    .selectFrom("deliveries")
    .distinctOn(["organisation_id", "order_key"])
    .select(["id", "organisation_id", "next_attempt_at"])
    .where(({ eb, refTuple, tuple }) =>
      eb(
        refTuple("organisation_id", "order_key"),
        "in",
        settled.map((row) => tuple(row.organisation_id, row.order_key)),
      ),
    )
    .where("state", "=", "pending")
    .orderBy("organisation_id")
    .orderBy("order_key")
    .orderBy("sequence")
    .execute();
}
