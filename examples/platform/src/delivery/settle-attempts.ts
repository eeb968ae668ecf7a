import { type Selectable, sql } from "kysely";
import type { Attempted } from "../outbox/start-dispatcher.ts";
import type { Trx } from "../store/store.ts";
import type { DeliveryTable } from "../store/tables.ts";
import type { Attempt } from "./attempt-delivery.ts";
import type { PendingDelivery } from "./load-deliveries.ts";
import { lockDeadBehind, releaseNext } from "./order-key.ts";
import { type RetrySchedule, retryDelayMs } from "./retry-schedule.ts";
import { type HealthContext, type SettledEndpoint, settleHealth } from "./settle-health.ts";
import { tellOfDisabling } from "./tell-of-disabling.ts";

/** `held`: it failed, and its endpoint is disabled. */
export type Outcome = "acknowledged" | "retry" | "dead" | "held";

const stateOf = { acknowledged: "acknowledged", retry: "pending", dead: "dead", held: "pending" } as const;

/** An attempt that was made, with what follows from it. */
export interface MadeAttempt {
  delivery: PendingDelivery;
  attempt: Attempt;
  outcome: Outcome;
  /** Set when the outcome is `retry`. */
  nextAttemptAt?: Date | undefined;
}

export interface SettleContext extends HealthContext {
  retrySchedule: RetrySchedule;
}

/** After an attempt that failed on our side: it uses up none of the schedule, and somebody has to mend us. */
const ownFailurePauseMs = 5 * 60_000;

interface Fate extends MadeAttempt {
  /** From now; only of what stays pending. */
  delayMs: number;
  /** Whether it uses up one of the schedule's attempts. */
  counts: boolean;
}

/** Stores a group of attempts: endpoints' health, the attempts, their deliveries, and the deliveries whose turn has come. */
export async function settleAttempts(
  trx: Trx,
  context: SettleContext,
  group: readonly Attempted<PendingDelivery, Attempt>[],
): Promise<{ attempts: MadeAttempt[]; endpoints: SettledEndpoint[] }> {
  // Their attempts lock the deliveries, in the order of everybody who locks several.
  const made = group.toSorted((one, other) => one.row.sequence - other.row.sequence);
  const endpoints = await settleHealth(trx, context, made);
  await insertAttempts(trx, made);
  const byId = new Map(endpoints.map((endpoint) => [endpoint.organisationId, endpoint]));
  const fates = made.map((each) => fateOf(context, each, byId.get(each.row.organisation_id)));
  const rows = new Map((await updateDeliveries(trx, fates)).map((row) => [row.id, row]));
  const settled = [...rows.values()].filter(({ state }) => state !== "pending");
  const keys = settled.map(({ organisation_id, order_key, sequence }) => ({
    organisationId: organisation_id,
    orderKey: order_key,
    sequence,
  }));
  await lockDeadBehind(trx, keys);
  await releaseNext(trx, keys);
  for (const { organisationId, before, after } of endpoints)
    if (before.disabledBecause === null && after.disabledBecause !== null)
      await tellOfDisabling(trx, organisationId, after.disabledBecause);
  const attempts = fates.map(({ delivery, attempt, outcome, nextAttemptAt }): MadeAttempt => {
    const isRestarted = outcome === "dead" && rows.get(delivery.id)?.state === "pending";
    return isRestarted
      ? { delivery, attempt, outcome: "retry", nextAttemptAt: context.now() }
      : { delivery, attempt, outcome, nextAttemptAt };
  });
  return { attempts, endpoints };
}

/** What follows from one attempt. One that failed at a profile that was changed meanwhile says nothing of the new one. */
function fateOf(
  { retrySchedule, now, random }: SettleContext,
  { row: delivery, result: attempt }: Attempted<PendingDelivery, Attempt>,
  endpoint: SettledEndpoint | undefined,
): Fate {
  const made = { delivery, attempt };
  const retryIn = (delayMs: number, counts: boolean): Fate => {
    return { ...made, outcome: "retry", delayMs, counts, nextAttemptAt: new Date(now().getTime() + delayMs) };
  };
  if (attempt.failure === undefined) return { ...made, outcome: "acknowledged", delayMs: 0, counts: true };
  if (endpoint !== undefined && endpoint.sealedSecret !== delivery.sealed_secret) return retryIn(0, false);
  if (endpoint !== undefined && endpoint.after.disabledAt !== null)
    return { ...made, outcome: "held", delayMs: 0, counts: true };
  if (attempt.failure === "internal_error") return retryIn(ownFailurePauseMs, false);
  const delayMs = retryDelayMs(retrySchedule, attempt, random());
  return delayMs === undefined ? { ...made, outcome: "dead", delayMs: 0, counts: true } : retryIn(delayMs, true);
}

async function insertAttempts(trx: Trx, made: readonly Attempted<PendingDelivery, Attempt>[]): Promise<void> {
  const rows = made.map(({ row: delivery, result: attempt }) => ({
    delivery_id: delivery.id,
    method: attempt.method,
    path: attempt.filledPath,
    started_at: attempt.startedAt,
    duration_ms: attempt.durationMs,
    status: attempt.status ?? null,
    error: attempt.failure ?? null,
    content_type: attempt.contentType ?? null,
    answer: attempt.answer ?? null,
  }));
  const columns = sql.join(Object.keys(rows[0] ?? {}).map((name) => sql.ref(name)));
  // As one parameter: a statement that is longer with each attempt takes the database longer to plan than to do.
  await sql`
    insert into attempts (${columns}, number)
    select ${columns}, (select count(*) + 1 from attempts where attempts.delivery_id = made.delivery_id)
    from json_populate_recordset(null::attempts, ${JSON.stringify(rows)}::text::json) as made`.execute(trx);
}

type SettledRow = Pick<Selectable<DeliveryTable>, "id" | "sequence" | "organisation_id" | "order_key" | "state">;

/**
 * A delivery whose schedule was restarted while it was attempted stays pending, unless it was acknowledged. Pauses begin now, not
 * with the transaction, which may have waited: no attempt begins before the time that the last one named.
 */
async function updateDeliveries(trx: Trx, fates: readonly Fate[]): Promise<SettledRow[]> {
  const outcomes = fates.map(({ delivery, attempt, outcome, delayMs, counts }) => ({
    sequence: delivery.sequence,
    before: delivery.attempts,
    attempts: counts ? attempt.number : delivery.attempts,
    state: stateOf[outcome],
    delayMs,
  }));
  const isRestarted = sql`deliveries.attempts <> outcome.before and outcome.state <> 'acknowledged'`;
  const { rows } = await sql<SettledRow>`
    update deliveries set
      state = case when ${isRestarted} then 'pending' else outcome.state end,
      attempts = case when ${isRestarted} then deliveries.attempts else outcome.attempts end,
      due_at = case
        when ${isRestarted} then now()
        when outcome.state = 'pending' then clock_timestamp() + outcome."delayMs" * interval '1 ms'
      end,
      settled_at = case when outcome.state <> 'pending' and not (${isRestarted}) then now() end
    from json_to_recordset(${JSON.stringify(outcomes)}::text::json)
      as outcome (sequence bigint, before integer, attempts integer, state text, "delayMs" int8)
    where deliveries.sequence = outcome.sequence and deliveries.state = 'pending'
    returning deliveries.id, deliveries.sequence, deliveries.organisation_id, deliveries.order_key, deliveries.state`.execute(
    trx,
  );
  return rows;
}
