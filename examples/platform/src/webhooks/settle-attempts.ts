import { type BreakerPolicy, type EndpointHealth, nextHealth } from "@offers/contract/circuit-breaker";
import { isNotImplemented, isOptionalEvent } from "@offers/contract/optional-events";
import { type RetrySchedule, retryDelayMs } from "@offers/contract/retry-schedule";
import { sql, type Updateable } from "kysely";
import type { Attempted } from "../outbox/dispatcher.ts";
import { announce, type Trx } from "../store/store.ts";
import type { EndpointTable } from "../store/tables.ts";
import type { Attempt, PendingDelivery } from "./attempt-delivery.ts";
import {
  classifyAttempt,
  createEndpointRecord,
  type EndpointRecord,
  healthColumns,
  healthFields,
  toHealthRow,
} from "./endpoint-health.ts";
import { emailEndpointDisabled, emailEndpointFailing, emailEndpointRecovered, type LinkTo } from "./endpoint-mails.ts";

export interface SettleContext {
  retrySchedule: RetrySchedule;
  breaker: BreakerPolicy;
  now: () => Date;
  random: () => number;
  linkTo: LinkTo;
}

type AttemptedDelivery = Attempted<PendingDelivery, Attempt>;

/** The log records for a committed group of attempts. */
export interface SettledRecords {
  attempts: AttemptRecord[];
  endpoints: EndpointRecord[];
}

/**
 * Stores a group of attempts in one transaction, after their leases have ended. Locks their endpoints, and updates the health of the
 * endpoints. Then stores the attempts and the states of their deliveries, makes the next delivery of each order key due, and announces
 * all changes.
 */
export async function settleAttempts(
  trx: Trx,
  context: SettleContext,
  attempted: readonly AttemptedDelivery[],
): Promise<SettledRecords> {
  const lockedEndpoints = await lockEndpoints(trx, attempted);
  // To prevent deadlocks, all transactions lock deliveries in sequence order.
  const group = attempted.toSorted((a, b) => a.row.sequence - b.row.sequence);
  const endpoints = await updateHealth(trx, context, group, lockedEndpoints);
  const outcomes = group.map((attempt) => decideOutcome(context, attempt, endpoints.get(attempt.row.organisation_id)));
  const pendingIds = await storeAttempts(trx, outcomes);
  const settledDeliveries = outcomes.map(({ delivery }) => delivery).filter(({ id }) => !pendingIds.has(id));
  await makeNextDue(trx, settledDeliveries);
  await reportChanges(trx, context, group, endpoints);
  return {
    attempts: outcomes.map((outcome) => createAttemptRecord(outcome, pendingIds, context.now())),
    endpoints: [...endpoints.values()].flatMap((endpoint) => createEndpointRecord(endpoint) ?? []),
  };
}

/** An endpoint's row, locked until the end of the transaction. */
interface LockedEndpoint extends EndpointHealth {
  organisation_id: string;
  encrypted_secret: string;
  has_acknowledged_contact: boolean;
}

/**
 * Locks the endpoints that the attempts may change: those of failed attempts, those that were failing before they acknowledged an attempt,
 * and those that acknowledged a contact for the first time.
 *
 * To prevent deadlocks, every transaction locks endpoints before deliveries.
 */
async function lockEndpoints(trx: Trx, attempted: readonly AttemptedDelivery[]): Promise<LockedEndpoint[]> {
  const changingAttempts = attempted.filter(
    ({ row, result }) => result.failure !== undefined || (isOptionalEvent(row.type) && !row.has_acknowledged_contact),
  );
  const toIdArray = (deliveries: readonly AttemptedDelivery[]) => {
    const ids = JSON.stringify([...new Set(deliveries.map(({ row }) => row.organisation_id))]);
    return sql`array(select json_array_elements_text(${ids}::text::json))`;
  };
  const healthSelections = healthFields.map((field) => sql`${sql.ref(healthColumns[field])} as ${sql.ref(field)}`);
  const { rows } = await sql<LockedEndpoint>`
    select organisation_id, encrypted_secret, has_acknowledged_contact, ${sql.join(healthSelections)} from endpoints
    where organisation_id = any (${toIdArray(attempted)}) and (organisation_id = any (${toIdArray(changingAttempts)})
      or consecutive_failures > 0 or failing_since is not null or breaker_open_until is not null)
    order by organisation_id
    for update`.execute(trx);
  return rows;
}

/** An endpoint's health before and after a group of attempts. */
interface UpdatedEndpoint {
  organisationId: string;
  /** The secret in the current profile. An attempt with a different secret started before the profile changed. */
  encryptedSecret: string;
  before: EndpointHealth;
  after: EndpointHealth;
  /** Whether the base URL has ever acknowledged a contact, including in this group. */
  hasAcknowledgedContact: boolean;
}

/**
 * Updates the health of the locked endpoints (D-72), and whether they have acknowledged a contact (D-152). Acknowledgements by a healthy
 * endpoint do not change its health, and neither do attempts with an earlier profile.
 *
 * @returns the endpoints, keyed by organisation
 */
async function updateHealth(
  trx: Trx,
  { breaker, now, random }: SettleContext,
  group: readonly AttemptedDelivery[],
  lockedEndpoints: readonly LockedEndpoint[],
): Promise<Map<string, UpdatedEndpoint>> {
  const at = now();
  const changedRows: ChangedEndpoint[] = [];
  const updatedEndpoints = lockedEndpoints.map((before): UpdatedEndpoint => {
    const { organisation_id: organisationId, encrypted_secret: encryptedSecret } = before;
    const attempts = group.filter(
      ({ row }) => row.organisation_id === organisationId && row.encrypted_secret === encryptedSecret,
    );
    let after: EndpointHealth = before;
    for (const { row, result } of attempts) {
      const isProbe = row.breaker_open_until !== null;
      const attempt = { result: classifyAttempt(row.type, result), isProbe, retryAfterMs: result.retryAfterMs, at };
      after = nextHealth(after, attempt, breaker, random());
    }
    const acknowledgesContact = attempts.some(
      ({ row, result }) => isOptionalEvent(row.type) && result.failure === undefined,
    );
    const hasAcknowledgedContact = before.has_acknowledged_contact || acknowledgesContact;
    if (after !== before || hasAcknowledgedContact !== before.has_acknowledged_contact)
      changedRows.push({
        organisation_id: organisationId,
        has_acknowledged_contact: hasAcknowledgedContact,
        ...toHealthRow(after),
      });
    return { organisationId, encryptedSecret, before, after, hasAcknowledgedContact };
  });
  await updateEndpoints(trx, changedRows);
  return new Map(updatedEndpoints.map((endpoint) => [endpoint.organisationId, endpoint]));
}

type ChangedEndpoint = Updateable<EndpointTable> & { organisation_id: string };

/** Stores all changes in one statement, because a group of attempts may change a hundred endpoints. */
async function updateEndpoints(trx: Trx, changedRows: readonly ChangedEndpoint[]): Promise<void> {
  if (changedRows.length === 0) return;
  const columns = [...Object.values(healthColumns), "has_acknowledged_contact"];
  const assignments = columns.map((name) => sql`${sql.ref(name)} = changed.${sql.ref(name)}`);
  await sql`
    update endpoints set ${sql.join(assignments)}
    from json_populate_recordset(null::endpoints, ${JSON.stringify(changedRows)}::text::json) as changed
    where endpoints.organisation_id = changed.organisation_id`.execute(trx);
}

/** The outcome of an attempt for its delivery. `held`: the attempt failed, and the delivery waits because its endpoint is disabled. */
export type DeliveryOutcome = "acknowledged" | "retry" | "dead" | "not_implemented" | "held";

const storedStates = {
  acknowledged: "acknowledged",
  retry: "pending",
  dead: "dead",
  not_implemented: "not_implemented",
  held: "pending",
} as const;

/** An attempt and its outcome for the delivery. */
interface AttemptOutcome {
  delivery: PendingDelivery;
  attempt: Attempt;
  outcome: DeliveryOutcome;
  /** The delay until the next attempt, in milliseconds; used only if the delivery stays pending. */
  delayMs: number;
  /** Whether the attempt counts towards the retry schedule. */
  countsAsAttempt: boolean;
  /** Set if the outcome is `retry`. */
  nextAttemptAt?: Date | undefined;
}

/** The delay after an attempt that failed because of an error in the platform itself. */
const internalErrorDelayMs = 5 * 60_000;

/** Decides what an attempt means for its delivery: whether it is acknowledged, retried, held or failed. */
function decideOutcome(
  { retrySchedule, now, random }: SettleContext,
  { row: delivery, result: attempt }: AttemptedDelivery,
  endpoint: UpdatedEndpoint | undefined,
): AttemptOutcome {
  const withoutRetry = (outcome: DeliveryOutcome): AttemptOutcome => ({
    delivery,
    attempt,
    outcome,
    delayMs: 0,
    countsAsAttempt: true,
  });
  const retryIn = (delayMs: number, countsAsAttempt: boolean): AttemptOutcome => {
    const nextAttemptAt = new Date(now().getTime() + delayMs);
    return { delivery, attempt, outcome: "retry", delayMs, countsAsAttempt, nextAttemptAt };
  };
  if (attempt.failure === undefined) return withoutRetry("acknowledged");
  // The profile changed during the attempt, so the failure does not count against the new profile.
  if (endpoint !== undefined && endpoint.encryptedSecret !== delivery.encrypted_secret) return retryIn(0, false);
  const hasAcknowledged = endpoint?.hasAcknowledgedContact ?? true;
  if (isNotImplemented({ type: delivery.type, status: attempt.status, hasAcknowledged }))
    return { ...withoutRetry("not_implemented"), attempt: { ...attempt, failure: "not_implemented" } };
  if (endpoint !== undefined && endpoint.after.disabledAt !== null) return withoutRetry("held");
  if (attempt.failure === "internal_error") return retryIn(internalErrorDelayMs, false);
  const delayMs = retryDelayMs(retrySchedule, attempt, random());
  return delayMs === undefined ? withoutRetry("dead") : retryIn(delayMs, true);
}

/**
 * Stores attempts and the new state of their deliveries. A delivery whose schedule was restarted during the attempt stays pending,
 * unless it was acknowledged. Delays start at the current time, because the transaction may have waited for locks since it started.
 * Otherwise, an attempt could start before the time that was reported for it.
 *
 * @returns the ids of the deliveries that stay pending
 */
async function storeAttempts(trx: Trx, outcomes: readonly AttemptOutcome[]): Promise<Set<string>> {
  const outcomeRows = outcomes.map(({ delivery, attempt, outcome, delayMs, countsAsAttempt }) => ({
    sequence: delivery.sequence,
    attempts_before: delivery.attempts,
    state: storedStates[outcome],
    delayMs,
    attempts: countsAsAttempt ? attempt.number : delivery.attempts,
    delivery_id: delivery.id,
    lane: delivery.organisation_id,
    method: attempt.method,
    path: attempt.filledPath,
    started_at: attempt.startedAt,
    duration_ms: attempt.durationMs,
    status: attempt.status,
    error: attempt.failure,
    content_type: attempt.contentType,
    response: attempt.response,
    exchange: attempt.exchange && JSON.stringify(attempt.exchange),
    lag_ms: lagMs(delivery, attempt),
  }));
  const isRestarted = sql`deliveries.attempts <> outcome.attempts_before and outcome.state <> 'acknowledged'`;
  // Use one JSON parameter, because planning a statement with a parameter for each value would take longer than running it.
  const { rows } = await sql<{ id: string }>`
    with outcome as materialized (
      select * from json_to_recordset(${JSON.stringify(outcomeRows)}::text::json) as outcome (
        sequence bigint, attempts_before integer, state text, "delayMs" int8, attempts integer, delivery_id text, lane text,
        method text, path text, started_at timestamptz, duration_ms integer, status integer, error text, lag_ms bigint,
        content_type text, response text, exchange text)
    ), attempted as (
      insert into attempts (delivery_id, organisation_id, method, path, started_at, duration_ms, status, error, lag_ms,
        content_type, response, exchange)
      select delivery_id, lane, method, path, started_at, duration_ms, status, error, lag_ms, content_type, response,
        exchange
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
      where deliveries.organisation_id = outcome.lane and deliveries.sequence = outcome.sequence
      returning id, deliveries.state
    )
    select id from settled where state = 'pending'`.execute(trx);
  return new Set(rows.map(({ id }) => id));
}

/**
 * Returns the time from the event to the end of the attempt that was acknowledged, in milliseconds; null for a failed attempt. Never
 * negative, even if the database's clock differs from this process's clock.
 */
function lagMs(
  { event_created_at: createdAt }: PendingDelivery,
  { failure, startedAt, durationMs }: Attempt,
): number | null {
  return failure === undefined ? Math.max(0, startedAt.getTime() + durationMs - createdAt.getTime()) : null;
}

/**
 * Makes the oldest pending delivery of each order key due. This must be a separate statement after the one that settled the
 * previous delivery, because that statement may wait for inserts of deliveries. Only a later statement sees those deliveries.
 *
 * Do not use the condition `state = 'pending'`, because PGlite, which has no statistics, would read all pending deliveries of the
 * organisation for each key.
 */
export async function makeNextDue(
  trx: Trx,
  keys: readonly { organisation_id: string; order_key: string }[],
): Promise<void> {
  if (keys.length === 0) return;
  // Serialise only these columns, because callers pass whole deliveries.
  const columns = ["organisation_id", "order_key"];
  await sql`
    update deliveries set due_at = now() where (organisation_id, sequence) in (
      select oldest.organisation_id, oldest.sequence
      from json_to_recordset(${JSON.stringify(keys, columns)}::text::json) as key (organisation_id text, order_key text)
      cross join lateral (
        select organisation_id, sequence, due_at from deliveries
        where organisation_id = key.organisation_id and order_key = key.order_key and state not in ('acknowledged', 'dead', 'not_implemented')
        order by sequence
        limit 1
      ) as oldest
      where oldest.due_at is null
    )`.execute(trx);
}

/** Announces attempts and changed endpoints. Emails users when their endpoint starts to fail, is disabled or recovers. */
async function reportChanges(
  trx: Trx,
  { linkTo, now }: SettleContext,
  group: readonly AttemptedDelivery[],
  endpoints: ReadonlyMap<string, UpdatedEndpoint>,
): Promise<void> {
  for (const organisationId of new Set(group.map(({ row }) => row.organisation_id)))
    announce(trx, { topic: "delivery", organisationId });
  for (const endpoint of endpoints.values()) {
    const { organisationId, before, after } = endpoint;
    const hasFailingChanged = (before.failingSince === null) !== (after.failingSince === null);
    if (hasFailingChanged || createEndpointRecord(endpoint) !== undefined)
      announce(trx, { topic: "endpoint", organisationId });
    if (before.disabledBecause === null && after.disabledBecause !== null)
      await emailEndpointDisabled(trx, organisationId, after.disabledBecause, linkTo);
    else if (before.openCount === 0 && after.openCount > 0)
      await emailEndpointFailing(trx, organisationId, now(), linkTo);
    else if (before.openCount > 0 && before.failingSince !== null && after.failingSince === null)
      await emailEndpointRecovered(trx, organisationId, before.failingSince, linkTo);
  }
}

/** The log record for an attempt. Contains ids and path templates, but no secrets, payloads or personal data (D-49). */
export type AttemptRecord = ReturnType<typeof createAttemptRecord>;

/**
 * Creates the log record for an attempt.
 *
 * @param pendingIds the ids of the deliveries that stay pending. If one of them would be settled, its schedule was restarted
 *   during the attempt, so it is due now
 */
function createAttemptRecord(
  { delivery, attempt, ...decision }: AttemptOutcome,
  pendingIds: ReadonlySet<string>,
  now: Date,
) {
  const { number, method, path, status, failure, durationMs } = attempt;
  const isRestarted = storedStates[decision.outcome] !== "pending" && pendingIds.has(delivery.id);
  const outcome: DeliveryOutcome = isRestarted ? "retry" : decision.outcome;
  const nextAttemptAt = isRestarted ? now : decision.nextAttemptAt;
  return {
    deliveryId: delivery.id,
    eventId: delivery.event_id,
    organisationId: delivery.organisation_id,
    type: delivery.type,
    number,
    method,
    path,
    ...(status !== undefined && { status }),
    ...(failure !== undefined && { failure }),
    durationMs,
    outcome,
    ...(nextAttemptAt !== undefined && { nextAttemptAt }),
  };
}
