import { attemptTimeoutMs } from "../../generated/decisions.ts";
import type { Store } from "../../store/store.ts";
import type { Outbound, Sign } from "../outbound/outbound.ts";
import type { Leases } from "../outbox/leases.ts";
import type { Loop } from "../outbox/run-loop.ts";
import { startDispatcher } from "../outbox/start-dispatcher.ts";
import { type Attempt, attemptDelivery } from "./attempt/attempt-delivery.ts";
import { loadDeliveries, type PendingDelivery } from "./attempt/load-deliveries.ts";
import { defaultRetrySchedule, type RetrySchedule } from "./attempt/retry-schedule.ts";
import { type AttemptRecord, attemptRecord } from "./attempt-record.ts";
import { type BreakerPolicy, defaultBreakerPolicy } from "./breaker-policy.ts";
import { type EndpointRecord, endpointRecord } from "./endpoint-record.ts";
import { recordAttempts } from "./record-attempts.ts";
import { type LockedEndpoint, lockEndpoints } from "./update-endpoint-health.ts";
import { webhooks } from "./webhook-queue.ts";

export interface DeliveryOptions {
  store: Store;
  leases: Leases;
  outbound: Outbound;
  sign: Sign;
  /** Opens the endpoints' encrypted secrets. */
  encryptionKey: Uint8Array;
  /** @default 10 attempts over about 45 hours (D-26) */
  retrySchedule?: RetrySchedule;
  /** @default after ten failures in a row, pauses from 30 s to ten minutes (D-72) */
  breaker?: BreakerPolicy;
  /** Called with an endpoint that is paused, resumed or disabled, once that is committed. */
  onEndpoint?: (record: EndpointRecord) => void;
  /** Called with each attempt once it is committed: the one log line per attempt. */
  onAttempt?: (record: AttemptRecord) => void;
  /** Called with trouble on our side. The work goes on. */
  onError: (error: unknown) => void;
  /** For one attempt, all of it (D-25). @default 15_000 */
  attemptTimeoutMs?: number;
  /** How long storing attempts is tried again. @default 10_000 */
  settleLimitMs?: number;
  /** Time for the attempts in flight when it is stopped; then they are aborted (D-71). @default 12_000 */
  finishWithinMs?: number;
  now?: () => Date;
  random?: () => number;
}

/** Beyond what one endpoint may have by far: sixty that hang still leave room for others. */
const maxUnderWay = 512;

/**
 * Delivers webhooks until it is stopped. `wake()` after a commit that recorded an event; `stop()` begins nothing new,
 * finishes what is in flight, and gives back what does not finish in time.
 */
export function startDelivery(options: DeliveryOptions): Loop {
  const {
    store,
    retrySchedule = defaultRetrySchedule,
    breaker = defaultBreakerPolicy,
    onAttempt,
    onEndpoint,
  } = options;
  const { now = () => new Date(), random = Math.random, onError } = options;
  const aborting = new AbortController();
  const context = {
    ...options,
    ...{ now, random, retrySchedule, breaker },
    ...{ signal: aborting.signal, timeoutMs: options.attemptTimeoutMs ?? attemptTimeoutMs },
  };
  const dispatcher = startDispatcher<PendingDelivery, Attempt, LockedEndpoint>({
    ...{ store, leases: options.leases, queue: webhooks(now), maxUnderWay, onError },
    ...(options.settleLimitMs !== undefined && { settleLimitMs: options.settleLimitMs }),
    load: (claimed) => loadDeliveries(store, claimed, now()),
    async attempt(delivery, isHeld) {
      const attempt = await attemptDelivery({ ...context, isHeld }, delivery);
      // Whether the endpoint has it is unknown. It does not count as an attempt; another process makes it again at once.
      return attempt.failure === "aborted" ? undefined : attempt;
    },
    lock: lockEndpoints,
    async settle(trx, made, locked) {
      const { attempts, endpoints } = await recordAttempts(trx, context, made, locked);
      return () => {
        for (const endpoint of endpoints) {
          const record = endpointRecord(endpoint);
          if (record !== undefined) onEndpoint?.(record);
        }
        for (const attempt of attempts) onAttempt?.(attemptRecord(attempt));
      };
    },
  });
  return {
    wake: dispatcher.wake,
    async stop() {
      const overdue = setTimeout(() => aborting.abort(), options.finishWithinMs ?? 12_000);
      await dispatcher.stop();
      clearTimeout(overdue);
    },
  };
}
