import { sql } from "kysely";
import type { Trx } from "../../store/store.ts";
import type { Attempted } from "../outbox/start-dispatcher.ts";
import { wakeWhenDue } from "../outbox/wake-lanes.ts";
import type { Attempt } from "./attempt/attempt-delivery.ts";
import type { PendingDelivery } from "./attempt/load-deliveries.ts";
import { type RetrySchedule, retryDelayMs } from "./attempt/retry-schedule.ts";
import { notifyEndpointDisabled } from "./notify-endpoint-disabled.ts";
import { releaseNext } from "./order-key.ts";
import {
  type HealthContext,
  type LockedEndpoint,
  type UpdatedEndpoint,
  updateEndpointHealth,
} from "./update-endpoint-health.ts";

/** `held`: it failed, and its endpoint is disabled. */
export type DeliveryOutcome = "acknowledged" | "retry" | "dead" | "held";

const stateOf = { acknowledged: "acknowledged", retry: "pending", dead: "dead", held: "pending" } as const;

/** An attempt that was made, with what follows from it. */
export interface CompletedAttempt {
  delivery: PendingDelivery;
  attempt: Attempt;
  outcome: DeliveryOutcome;
  /** Set when the outcome is `retry`. */
  nextAttemptAt?: Date | undefined;
}

export interface RecordContext extends HealthContext {
  retrySchedule: RetrySchedule;
}

/** After an attempt that failed because of the platform itself: it uses up none of the schedule. */
const ownFailurePauseMs = 5 * 60_000;

interface Fate extends CompletedAttempt {
  /** From now; only of what stays pending. */
  delayMs: number;
  /** Whether it uses up one of the schedule's attempts. */
  counts: boolean;
}

/** Stores a group of attempts: endpoints' health, the attempts, their deliveries, and the deliveries whose turn has come. */
export async function recordAttempts(
  trx: Trx,
  context: RecordContext,
  group: readonly Attempted<PendingDelivery, Attempt>[],
  locked: readonly LockedEndpoint[],
): Promise<{ attempts: CompletedAttempt[]; endpoints: UpdatedEndpoint[] }> {
  // Transactions that lock several deliveries lock them in the order of their sequence.
  const made = group.toSorted((one, other) => one.row.sequence - other.row.sequence);
  const endpoints = await updateEndpointHealth(trx, context, made, locked);
  const byId = new Map(endpoints.map((endpoint) => [endpoint.organisationId, endpoint]));
  const fates = made.map((each) => fateOf(context, each, byId.get(each.row.organisation_id)));
  const pending = await storeAttempts(trx, fates);
  const settled = fates.filter(({ delivery }) => !pending.has(delivery.id));
  await releaseNext(
    trx,
    settled.map(({ delivery: { organisation_id, order_key } }) => ({ organisation_id, order_key })),
  );
  for (const { organisationId, before, after } of endpoints)
    if (before.disabled_because === null && after.disabled_because !== null)
      await notifyEndpointDisabled(trx, organisationId, after.disabled_because);
  const attempts = fates.map(({ delivery, attempt, outcome, nextAttemptAt }): CompletedAttempt => {
    const isRestarted = outcome === "dead" && pending.has(delivery.id);
    return isRestarted
      ? { delivery, attempt, outcome: "retry", nextAttemptAt: context.now() }
      : { delivery, attempt, outcome, nextAttemptAt };
  });
  return { attempts, endpoints };
}

/** What follows from one attempt. One that failed at a profile that was changed meanwhile says nothing of the new one. */
function fateOf(
  { retrySchedule, now, random }: RecordContext,
  { row: delivery, result: attempt }: Attempted<PendingDelivery, Attempt>,
  endpoint: UpdatedEndpoint | undefined,
): Fate {
  const made = { delivery, attempt };
  const retryIn = (delayMs: number, counts: boolean): Fate => {
    return { ...made, outcome: "retry", delayMs, counts, nextAttemptAt: new Date(now().getTime() + delayMs) };
  };
  if (attempt.failure === undefined) return { ...made, outcome: "acknowledged", delayMs: 0, counts: true };
  if (endpoint !== undefined && endpoint.encryptedSecret !== delivery.encrypted_secret) return retryIn(0, false);
  if (endpoint !== undefined && endpoint.after.disabled_at !== null)
    return { ...made, outcome: "held", delayMs: 0, counts: true };
  if (attempt.failure === "internal_error") return retryIn(ownFailurePauseMs, false);
  const delayMs = retryDelayMs(retrySchedule, attempt, random());
  return delayMs === undefined ? { ...made, outcome: "dead", delayMs: 0, counts: true } : retryIn(delayMs, true);
}

/**
 * A delivery whose schedule was restarted while it was attempted stays pending, unless it was acknowledged. Pauses begin now, not
 * with the transaction, which may have waited: no attempt begins before the time that the last one named.
 *
 * @returns the ids of those that stay pending
 */
async function storeAttempts(trx: Trx, fates: readonly Fate[]): Promise<Set<string>> {
  const outcomes = fates.map(({ delivery, attempt, outcome, delayMs, counts }) => ({
    ...{ sequence: delivery.sequence, before: delivery.attempts, state: stateOf[outcome], delayMs },
    attempts: counts ? attempt.number : delivery.attempts,
    ...{ delivery_id: delivery.id, lane: delivery.organisation_id },
    ...{ method: attempt.method, path: attempt.filledPath, started_at: attempt.startedAt },
    ...{ duration_ms: attempt.durationMs, status: attempt.status, error: attempt.failure },
    ...{ content_type: attempt.contentType, response: attempt.response, lag_ms: lagMs(delivery, attempt) },
  }));
  const isRestarted = sql`deliveries.attempts <> outcome.before and outcome.state <> 'acknowledged'`;
  // As one parameter: a statement that is longer with each attempt takes the database longer to plan than to do.
  const { rows } = await sql<{ id: string }>`
    with outcome as materialized (
      select * from json_to_recordset(${JSON.stringify(outcomes)}::text::json) as outcome (
        sequence bigint, before integer, state text, "delayMs" int8, attempts integer, delivery_id text, lane text,
        method text, path text, started_at timestamptz, duration_ms integer, status integer, error text, lag_ms bigint,
        content_type text, response text)
    ), attempted as (
      insert into attempts (delivery_id, organisation_id, method, path, started_at, duration_ms, status, error, lag_ms,
        content_type, response)
      select delivery_id, lane, method, path, started_at, duration_ms, status, error, lag_ms, content_type, response
      from outcome
    ), settled as (
      update deliveries set
        state = case when ${isRestarted} then 'pending' else outcome.state end,
        attempts = case when ${isRestarted} then deliveries.attempts else outcome.attempts end,
        due_at = case
          when ${isRestarted} then now()
          when outcome.state = 'pending' then clock_timestamp() + outcome."delayMs" * interval '1 ms'
        end,
        settled_at = case when outcome.state <> 'pending' and not (${isRestarted}) then now() end,
        last_status = outcome.status,
        last_error = outcome.error
      from outcome
      where deliveries.organisation_id = outcome.lane and deliveries.sequence = outcome.sequence and deliveries.state = 'pending'
      returning id, organisation_id as lane, deliveries.state, due_at
    ), woken as (${wakeWhenDue("webhooks")})
    select id from settled where state = 'pending'`.execute(trx);
  return new Set(rows.map(({ id }) => id));
}

/** From the event to the end of the attempt that acknowledged it. The clocks of the database and of this process may differ. */
function lagMs(
  { event_created_at: createdAt }: PendingDelivery,
  { failure, startedAt, durationMs }: Attempt,
): number | null {
  return failure === undefined ? Math.max(0, startedAt.getTime() + durationMs - createdAt.getTime()) : null;
}
