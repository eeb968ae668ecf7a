import { type Selectable, sql } from "kysely";
import type { ClaimedJob, JobToEnqueue, Queue } from "../queue/queue.ts";
import type { Trx } from "../store/store.ts";
import type { DeliveryTable } from "../store/tables.ts";
import type { Attempt } from "./attempt-delivery.ts";
import { holdDeliveries } from "./hold-deliveries.ts";
import type { PendingDelivery } from "./pending-delivery.ts";
import { type HealthContext, type SettledEndpoint, settleHealth } from "./settle-health.ts";
import { tellOfDisabling } from "./tell-of-disabling.ts";

export type Outcome = "acknowledged" | "retry" | "dead" | "held";

const stateOf = { acknowledged: "acknowledged", retry: "pending", dead: "dead", held: "held" } as const;

/** An attempt that was made, with what follows from it. */
export interface MadeAttempt {
  job: ClaimedJob;
  delivery: PendingDelivery;
  attempt: Attempt;
  /** The one attempt after a pause (D-72). */
  isProbe: boolean;
  /** Held: it failed, and its endpoint is disabled. */
  outcome: Outcome;
  /** Set when the outcome is `retry`. */
  nextAttemptAt?: Date | undefined;
}

/** What a group of attempts has changed. */
export interface Settled {
  endpoints: SettledEndpoint[];
  /** What became of deliveries after all, by id, where that is not what their attempt alone would have led to. */
  otherwise: ReadonlyMap<string, Pick<MadeAttempt, "outcome" | "nextAttemptAt">>;
}

type SettledRow = Pick<Selectable<DeliveryTable>, "id" | "organisation_id" | "order_key" | "state">;

/** Writes a group of attempts: endpoints' health, the attempts, their deliveries, and the jobs that follow. */
export async function settleAttempts(
  trx: Trx,
  queue: Queue,
  context: HealthContext,
  made: readonly MadeAttempt[],
): Promise<Settled> {
  const endpoints = await settleHealth(trx, context, made);
  await insertAttempts(trx, made);
  const outdated = outdatedAttempts(made, endpoints);
  const current = made.filter((each) => !outdated.includes(each));
  const settled = await updateDeliveries(trx, current, endpoints);
  const states = new Map(settled.map(({ id, state }) => [id, state]));
  const isPending = ({ delivery }: MadeAttempt): boolean => states.get(delivery.id) === "pending";
  const deferred = [
    ...outdated.map(({ job, delivery }) => ({ ...job, ...jobOf(delivery) })),
    ...current.filter(isPending).map(({ job, delivery, nextAttemptAt }) => {
      return { ...job, ...jobOf({ ...delivery, next_attempt_at: nextAttemptAt }) };
    }),
  ];
  await queue.defer(trx, "deliveries", deferred);
  const jobs = current.filter((each) => !isPending(each)).map(({ job }) => job);
  await queue.settle(trx, "deliveries", jobs);
  const next = await nextInOrder(
    trx,
    settled.filter(({ state }) => state === "acknowledged" || state === "dead"),
  );
  await queue.enqueue(trx, "deliveries", next.map(jobOf));
  await disable(trx, queue, endpoints);
  const otherwise = new Map<string, Pick<MadeAttempt, "outcome" | "nextAttemptAt">>();
  for (const { id, state } of settled)
    if (state === "held") otherwise.set(id, { outcome: "held", nextAttemptAt: undefined });
  for (const { delivery } of outdated) otherwise.set(delivery.id, { outcome: "retry", nextAttemptAt: context.now() });
  return { endpoints, otherwise };
}

/**
 * Those that failed at a profile that was changed meanwhile: they say nothing of the new one. Their deliveries are attempted
 * there at once, with no attempt used up.
 */
function outdatedAttempts(made: readonly MadeAttempt[], endpoints: readonly SettledEndpoint[]): MadeAttempt[] {
  const secrets = new Map(endpoints.map(({ organisationId, sealedSecret }) => [organisationId, sealedSecret]));
  return made.filter(({ delivery, outcome }) => {
    const secret = secrets.get(delivery.organisation_id);
    return outcome !== "acknowledged" && secret !== undefined && secret !== delivery.sealed_secret;
  });
}

async function disable(trx: Trx, queue: Queue, endpoints: readonly SettledEndpoint[]): Promise<void> {
  for (const { organisationId, before, after } of endpoints) {
    if (before.disabledBecause !== null || after.disabledBecause === null) continue;
    await tellOfDisabling(trx, organisationId, after.disabledBecause);
    await holdDeliveries(trx, queue);
  }
}

/** The wake-up of a pending delivery, not before its next attempt is due. */
export function jobOf(row: { id: string; organisation_id: string; next_attempt_at?: Date | undefined }): JobToEnqueue {
  const { id: key, organisation_id: group, next_attempt_at: startAfter } = row;
  return startAfter === undefined ? { key, group } : { key, group, startAfter };
}

async function insertAttempts(trx: Trx, made: readonly MadeAttempt[]): Promise<void> {
  const rows = made.map(({ delivery, attempt }) => ({
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
  // As one parameter: a statement that is longer with each attempt takes the database longer to plan than to do. The number
  // is the next one there is: a process that stood still made its attempt while another took its place.
  await sql`
    insert into attempts (${columns}, number)
    select ${columns}, (select count(*) + 1 from attempts where attempts.delivery_id = made.delivery_id)
    from json_populate_recordset(null::attempts, ${JSON.stringify(rows)}::text::json) as made`.execute(trx);
}

/**
 * @returns the deliveries that changed: not those that another process settled after our claim had lapsed. But whatever was
 *   acknowledged is settled: the endpoint has it
 */
async function updateDeliveries(
  trx: Trx,
  made: readonly MadeAttempt[],
  endpoints: readonly SettledEndpoint[],
): Promise<SettledRow[]> {
  const disabled = new Set(
    endpoints.filter(({ after }) => after.disabledAt !== null).map((each) => each.organisationId),
  );
  const outcomes = made.map(({ delivery, attempt, outcome, nextAttemptAt }) => ({
    id: delivery.id,
    before: delivery.attempts,
    // One that failed on our side uses up none.
    attempts: attempt.failure === "internal_error" ? delivery.attempts : attempt.number,
    state: stateOf[outcome !== "acknowledged" && disabled.has(delivery.organisation_id) ? "held" : outcome],
    next_attempt_at: nextAttemptAt,
  }));
  const { rows } = await sql<SettledRow>`
    update deliveries set
      state = case when deliveries.state = 'held' and outcome.state <> 'acknowledged' then 'held' else outcome.state end,
      attempts = greatest(deliveries.attempts, outcome.attempts),
      next_attempt_at = coalesce(outcome.next_attempt_at, deliveries.next_attempt_at),
      settled_at = case when outcome.state = 'acknowledged' or (outcome.state = 'dead' and deliveries.state = 'pending')
        then now() end
    from json_to_recordset(${JSON.stringify(outcomes)}::text::json)
      as outcome (id text, before integer, attempts integer, state text, next_attempt_at timestamptz)
    where deliveries.id = outcome.id and deliveries.state in ('pending', 'held')
      and (deliveries.attempts = outcome.before or outcome.state = 'acknowledged')
    returning deliveries.id, deliveries.organisation_id, deliveries.order_key, deliveries.state`.execute(trx);
  return rows;
}

/** The oldest deliveries behind the ones now settled, unless held. They had no job: it was not their turn. */
async function nextInOrder(trx: Trx, settled: readonly SettledRow[]) {
  if (settled.length === 0) return [];
  const keys = settled.map(({ organisation_id, order_key }) => ({ organisation_id, order_key }));
  const { rows } = await sql<Pick<Selectable<DeliveryTable>, "id" | "organisation_id" | "next_attempt_at" | "state">>`
    select oldest.id, oldest.organisation_id, oldest.next_attempt_at, oldest.state
    from json_populate_recordset(null::deliveries, ${JSON.stringify(keys)}::text::json) as settled
    cross join lateral (
      select * from deliveries
      where organisation_id = settled.organisation_id and order_key = settled.order_key and state in ('pending', 'held')
      order by sequence
      limit 1
    ) as oldest`.execute(trx);
  return rows.filter(({ state }) => state === "pending");
}
