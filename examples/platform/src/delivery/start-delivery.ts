import { attemptTimeoutMs } from "../generated/decisions.ts";
import type { Outbound, Sign } from "../outbound/outbound.ts";
import type { ClaimedJob, Queue } from "../queue/queue.ts";
import { type Loop, runLoop } from "../queue/run-loop.ts";
import type { Store } from "../store/store.ts";
import { attemptDelivery } from "./attempt-delivery.ts";
import { type AttemptRecord, attemptRecord } from "./attempt-record.ts";
import { GroupCommit } from "./group-commit.ts";
import { lockOrder, type PendingDelivery, pendingDeliveries } from "./pending-delivery.ts";
import { defaultRetrySchedule, type RetrySchedule, retryDelayMs } from "./retry-schedule.ts";
import { type MadeAttempt, settleAttempts } from "./settle-attempts.ts";
import { sweepDeliveries } from "./sweep-deliveries.ts";

export interface DeliveryOptions {
  store: Store;
  queue: Queue;
  outbound: Outbound;
  sign: Sign;
  /** Opens the endpoints' sealed secrets. */
  sealKey: Uint8Array;
  /** @default 10 attempts over about 45 hours (D-26) */
  retrySchedule?: RetrySchedule;
  /** Told of each attempt once it is committed: the one log line per attempt. */
  onAttempt?: (record: AttemptRecord) => void;
  /** Told of trouble on our side. The work goes on. */
  onError: (error: unknown) => void;
  /** For one attempt, all of it (D-25); shorter than the queue's lease. @default 15_000 */
  attemptTimeoutMs?: number;
  /** How long storing attempts is tried again; shorter than what the attempt leaves of the lease. @default 10_000 */
  settleLimitMs?: number;
  /** How often to look for due deliveries when nobody says that there are. @default 200 */
  idleMs?: number;
  /** How often to look for pending deliveries without a job. @default 10_000 */
  sweepMs?: number;
  now?: () => Date;
  random?: () => number;
}

const maxInFlight = 128;
const maxPerEndpoint = 8;

/** Delivers until it is stopped. `wake()` after a commit that recorded an event; `stop()` finishes what is in flight. */
export function startDelivery(options: DeliveryOptions): Loop {
  const { store, queue, retrySchedule = defaultRetrySchedule, onError, onAttempt, random = Math.random } = options;
  const now = options.now ?? (() => new Date());
  const context = { ...options, now, timeoutMs: options.attemptTimeoutMs ?? attemptTimeoutMs };
  const inFlight = new Set<Promise<void>>();
  const settling = new GroupCommit<MadeAttempt>({
    commit: (made) => store.transaction((trx) => settleAttempts(trx, queue, made)),
    maxGroup: 200,
    onError,
    giveUpAfterMs: options.settleLimitMs ?? 10_000,
  });

  const deliver = async (job: ClaimedJob, delivery: PendingDelivery): Promise<void> => {
    const attempt = await attemptDelivery(context, delivery);
    const made: MadeAttempt = { job, delivery, attempt, ...outcomeOf(attempt) };
    // What could not be stored did not happen: the delivery is attempted again when the job's lease has ended.
    if (await settling.add(made)) onAttempt?.(attemptRecord(made));
  };

  const outcomeOf = (attempt: MadeAttempt["attempt"]): Pick<MadeAttempt, "outcome" | "nextAttemptAt"> => {
    if (attempt.failure === undefined) return { outcome: "acknowledged" };
    const delayMs = retryDelayMs(retrySchedule, attempt, random());
    if (delayMs === undefined) return { outcome: "dead" };
    return { outcome: "retry", nextAttemptAt: new Date(now().getTime() + delayMs) };
  };

  /** Gives the job of a delivery back whose turn has not come; unless it has come meanwhile. */
  const stepBack = (job: ClaimedJob, delivery: PendingDelivery): Promise<boolean> =>
    store.transaction(async (trx) => {
      const { organisation_id: organisationId, order_key: orderKey } = delivery;
      const held = await lockOrder(trx, { organisationId, orderKey });
      const isBlocked = held.some(({ sequence, state }) => state === "pending" && sequence < delivery.sequence);
      if (isBlocked) await queue.settle(trx, "deliveries", [job]);
      return isBlocked;
    });

  const start = (job: ClaimedJob, delivery: PendingDelivery): void => {
    const work = deliver(job, delivery)
      .catch(onError)
      .finally(() => {
        inFlight.delete(work);
        loop.wake();
      });
    inFlight.add(work);
  };

  const tick = async (): Promise<boolean> => {
    const limit = maxInFlight - inFlight.size;
    if (limit <= 0) return false;
    const jobs = await queue.claim("deliveries", { limit, perGroup: maxPerEndpoint });
    if (jobs.length === 0) return false;
    const rows = await pendingDeliveries(
      store,
      jobs.map((job) => job.key),
    );
    const deliveries = new Map(rows.map((row) => [row.id, row]));
    const stale = jobs.filter((job) => !deliveries.has(job.key));
    if (stale.length > 0) await store.transaction((trx) => queue.settle(trx, "deliveries", stale));
    for (const job of jobs) {
      const delivery = deliveries.get(job.key);
      if (delivery === undefined || (delivery.blocked && (await stepBack(job, delivery)))) continue;
      start(job, delivery);
    }
    return true;
  };

  const loop = runLoop(tick, { idleMs: options.idleMs ?? 200, onError });
  const sweep = runLoop(() => sweepDeliveries(store, queue), { idleMs: options.sweepMs ?? 10_000, onError });
  return {
    wake: loop.wake,
    async stop() {
      await Promise.all([sweep.stop(), loop.stop()]);
      await Promise.all(inFlight);
    },
  };
}
