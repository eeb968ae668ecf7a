import { attemptTimeoutMs } from "../generated/decisions.ts";
import type { Outbound, Sign } from "../outbound/outbound.ts";
import { GroupCommit } from "../queue/group-commit.ts";
import { holdClaims } from "../queue/hold-claims.ts";
import type { ClaimedJob, Queue } from "../queue/queue.ts";
import { type Loop, runLoop } from "../queue/run-loop.ts";
import type { Store } from "../store/store.ts";
import { attemptDelivery } from "./attempt-delivery.ts";
import { type AttemptRecord, attemptRecord } from "./attempt-record.ts";
import { type BreakerPolicy, defaultBreakerPolicy } from "./breaker-policy.ts";
import { type EndpointRecord, endpointRecord } from "./endpoint-record.ts";
import { OpenBreakers } from "./open-breakers.ts";
import { isWaiting, lockOrder, type PendingDelivery, pendingDeliveries } from "./pending-delivery.ts";
import { defaultRetrySchedule, type RetrySchedule, retryDelayMs } from "./retry-schedule.ts";
import { type MadeAttempt, settleAttempts } from "./settle-attempts.ts";
import { sweepDeliveries } from "./sweep-deliveries.ts";
import { sweepHeld } from "./sweep-held.ts";

export interface DeliveryOptions {
  store: Store;
  queue: Queue;
  outbound: Outbound;
  sign: Sign;
  /** Opens the endpoints' sealed secrets. */
  sealKey: Uint8Array;
  /** @default 10 attempts over about 45 hours (D-26) */
  retrySchedule?: RetrySchedule;
  /** @default after ten failures in a row, pauses from 30 s to ten minutes (D-72) */
  breaker?: BreakerPolicy;
  /** Told of an endpoint that is paused, resumed or disabled, once that is committed. */
  onEndpoint?: (record: EndpointRecord) => void;
  /** Told of each attempt once it is committed: the one log line per attempt. */
  onAttempt?: (record: AttemptRecord) => void;
  /** Told of trouble on our side. The work goes on. */
  onError: (error: unknown) => void;
  /** For one attempt, all of it (D-25). @default 15_000 */
  attemptTimeoutMs?: number;
  /** How long storing attempts is tried again. @default 10_000 */
  settleLimitMs?: number;
  /** Time for the attempts in flight when it is stopped; then they are aborted (D-71). @default 12_000 */
  finishWithinMs?: number;
  /** How often to look for due deliveries when nobody says that there are. @default 200 */
  idleMs?: number;
  /** How often to look for pending deliveries without a job. @default 10_000 */
  sweepMs?: number;
  now?: () => Date;
  random?: () => number;
}

/** Beyond what one endpoint may have by far: sixty that hang still leave room for others. */
const maxInFlight = 512;
/** Of one claim and of one commit: on PGlite whoever creates an offer waits for each statement and commit of ours. */
const batchSize = 100;
const maxPerEndpoint = 8;
/** For storing what came of a probe. Even if that takes longer, the attempt itself is over. */
const probeMarginMs = 5_000;
/** After an attempt that failed on our side: it uses up none of the schedule, and somebody has to mend us. */
const ownFailurePauseMs = 5 * 60_000;

/**
 * Delivers until it is stopped. `wake()` after a commit that recorded an event; `stop()` begins nothing new, finishes what
 * is in flight, and gives back what does not finish in time.
 */
export function startDelivery(options: DeliveryOptions): Loop {
  const { store, queue, retrySchedule = defaultRetrySchedule, onError, random = Math.random } = options;
  const { onAttempt, onEndpoint } = options;
  const now = options.now ?? (() => new Date());
  const aborting = new AbortController();
  const { signal } = aborting;
  const context = { ...options, now, signal, timeoutMs: options.attemptTimeoutMs ?? attemptTimeoutMs };
  const inFlight = new Set<Promise<void>>();
  const perEndpoint = new Map<string, number>();
  const claims = holdClaims(queue, "deliveries", onError);
  const unfinished: ClaimedJob[] = [];
  let stopping = false;
  const health = { breaker: options.breaker ?? defaultBreakerPolicy, now, random };
  const probeMs = context.timeoutMs + probeMarginMs;
  const breakers = new OpenBreakers({ store, now, probeMs });

  const settle = async (made: MadeAttempt[]): Promise<void> => {
    const { endpoints, otherwise } = await store.transaction((trx) => settleAttempts(trx, queue, health, made));
    for (const each of made) Object.assign(each, otherwise.get(each.delivery.id));
    const records = endpoints.map(endpointRecord).filter((record) => record !== undefined);
    if (records.length > 0) breakers.forget();
    for (const record of records) onEndpoint?.(record);
  };
  const settling = new GroupCommit<MadeAttempt>({
    commit: settle,
    maxGroup: batchSize,
    onError,
    giveUpAfterMs: options.settleLimitMs ?? 10_000,
  });

  const deliver = async (job: ClaimedJob, delivery: PendingDelivery, isProbe: boolean): Promise<void> => {
    const attempt = await attemptDelivery(context, delivery);
    // Nobody knows whether the endpoint has it. It was no attempt of the schedule; somebody else makes it again at once.
    if (attempt.failure === "aborted") return void unfinished.push(job);
    const made: MadeAttempt = { job, delivery, attempt, isProbe, ...outcomeOf(attempt) };
    // What could not be stored did not happen: the delivery is attempted again when the claim has lapsed.
    if (await settling.add(made)) onAttempt?.(attemptRecord(made));
  };

  const outcomeOf = (attempt: MadeAttempt["attempt"]): Pick<MadeAttempt, "outcome" | "nextAttemptAt"> => {
    if (attempt.failure === undefined) return { outcome: "acknowledged" };
    const isOurs = attempt.failure === "internal_error";
    const delayMs = isOurs ? ownFailurePauseMs : retryDelayMs(retrySchedule, attempt, random());
    if (delayMs === undefined) return { outcome: "dead" };
    return { outcome: "retry", nextAttemptAt: new Date(now().getTime() + delayMs) };
  };

  /** Gives the job of a delivery back whose turn has not come; unless it has come meanwhile. */
  const stepBack = (job: ClaimedJob, delivery: PendingDelivery): Promise<boolean> =>
    store.transaction(async (trx) => {
      const { organisation_id: organisationId, order_key: orderKey } = delivery;
      const held = await lockOrder(trx, { organisationId, orderKey });
      const isBlocked = held.some(({ sequence, state }) => isWaiting(state) && sequence < delivery.sequence);
      if (isBlocked) await queue.settle(trx, "deliveries", [job]);
      return isBlocked;
    });

  const start = (job: ClaimedJob, delivery: PendingDelivery, isProbe: boolean): void => {
    const endpoint = delivery.organisation_id;
    const count = (change: number): void => void perEndpoint.set(endpoint, (perEndpoint.get(endpoint) ?? 0) + change);
    const work = deliver(job, delivery, isProbe)
      .catch(onError)
      .finally(() => {
        inFlight.delete(work);
        count(-1);
        if (perEndpoint.get(endpoint) === 0) perEndpoint.delete(endpoint);
        claims.delete(job);
        loop.wake();
      });
    inFlight.add(work);
    count(1);
    claims.add(job);
  };

  const tick = async (): Promise<boolean> => {
    const limit = Math.min(batchSize, maxInFlight - inFlight.size);
    if (limit <= 0) return false;
    const full = [...perEndpoint].filter(([, count]) => count >= maxPerEndpoint).map(([endpoint]) => endpoint);
    const exceptGroups = [...full, ...(await breakers.organisationIds())];
    const jobs = await queue.claim("deliveries", { limit, perGroup: maxPerEndpoint, exceptGroups });
    if (jobs.length === 0) return false;
    if (stopping) {
      await queue.release("deliveries", jobs);
      return false;
    }
    const rows = await pendingDeliveries(
      store,
      jobs.map((job) => job.key),
    );
    const deliveries = new Map(rows.map((row) => [row.id, row]));
    const stale = jobs.filter((job) => !deliveries.has(job.key));
    if (stale.length > 0) await store.transaction((trx) => queue.settle(trx, "deliveries", stale));
    const early: Parameters<Queue["defer"]>[2][number][] = [];
    for (const job of jobs) {
      const delivery = deliveries.get(job.key);
      if (delivery === undefined || (delivery.blocked && (await stepBack(job, delivery)))) continue;
      const turn = await breakers.turnOf(delivery);
      if (turn === "wait") early.push({ ...job, group: delivery.organisation_id, startAfter: breakers.nextTurn() });
      else start(job, delivery, turn === "probe");
    }
    if (early.length > 0) await store.transaction((trx) => queue.defer(trx, "deliveries", early));
    return true;
  };

  const loop = runLoop(tick, { idleMs: options.idleMs ?? 200, onError });
  const sweepAll = async (): Promise<boolean> => (await sweepHeld(store, queue, now)) || sweepDeliveries(store, queue);
  const sweep = runLoop(sweepAll, { idleMs: options.sweepMs ?? 10_000, onError });
  return {
    wake: loop.wake,
    async stop() {
      stopping = true;
      const overdue = setTimeout(() => aborting.abort(), options.finishWithinMs ?? 12_000);
      await Promise.all([sweep.stop(), loop.stop()]);
      await Promise.all(inFlight);
      clearTimeout(overdue);
      await claims.stop();
      await queue.release("deliveries", unfinished);
    },
  };
}
