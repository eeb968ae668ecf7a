import { type BreakerPolicy, defaultBreakerPolicy, endpointCapacity } from "@offers/contract/circuit-breaker";
import { attemptTimeoutMs } from "@offers/contract/decisions";
import { defaultRetrySchedule, type RetrySchedule } from "@offers/contract/retry-schedule";
import { sql } from "kysely";
import type { EndpointClient, Sign } from "../endpoint-client/endpoint-client.ts";
import { startDispatcher } from "../outbox/dispatcher.ts";
import type { Leases } from "../outbox/leases.ts";
import type { LaneState, OutboxQueue } from "../outbox/queue.ts";
import type { Loop } from "../outbox/timers.ts";
import type { Signals } from "../store/signals.ts";
import type { Store } from "../store/store.ts";
import { type Attempt, attemptDelivery, loadDeliveries, type PendingDelivery } from "./attempt-delivery.ts";
import type { EndpointRecord } from "./endpoint-health.ts";
import type { LinkTo } from "./endpoint-mails.ts";
import { type AttemptRecord, settleAttempts } from "./settle-attempts.ts";

export interface DeliveryOptions {
  store: Store;
  leases: Leases;
  /** Wakes the loop after each commit that records an event. Without it, call `wake()`. */
  signals?: Pick<Signals, "subscribe">;
  endpointClient: EndpointClient;
  sign: Sign;
  /** The key that decrypts the endpoints' secrets. */
  encryptionKey: Uint8Array;
  /** When failed attempts are retried. @default 10 attempts over about 45 hours (D-26) */
  retrySchedule?: RetrySchedule;
  /** When deliveries to a failing endpoint pause. @default after 10 consecutive failures, for 30 s to 10 minutes (D-72) */
  breaker?: BreakerPolicy;
  /** Called after the commit when an endpoint is paused, resumed or disabled. */
  onEndpoint?: (record: EndpointRecord) => void;
  /** Called to log an attempt, once it is committed. */
  onAttempt?: (record: AttemptRecord) => void;
  /** Called with an error in the platform itself. Delivery continues. */
  onError: (error: unknown) => void;
  /** The time limit for a whole attempt, in milliseconds (D-25). @default 15_000 */
  attemptTimeoutMs?: number;
  /** How long to retry storing an attempt before its delivery is postponed, in milliseconds. @default 10_000 */
  settleLimitMs?: number;
  /** How long `stop()` waits before it aborts attempts in flight, in milliseconds (D-71). @default 12_000 */
  finishWithinMs?: number;
  /** Returns a page's URL, for emails. @default returns only the path */
  linkTo?: LinkTo;
  now?: () => Date;
  random?: () => number;
}

/** The maximum number of concurrent attempts in this process: enough for 64 endpoints that do not respond. */
const maxInFlight = 64 * endpointCapacity;

/**
 * Delivers webhooks until it is stopped. `stop()` prevents new attempts and waits for the attempts in flight. Attempts that take too
 * long are aborted and released.
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
    now,
    random,
    linkTo: options.linkTo ?? ((path: string) => path),
    retrySchedule,
    breaker,
    signal: aborting.signal,
    timeoutMs: options.attemptTimeoutMs ?? attemptTimeoutMs,
  };
  const dispatcher = startDispatcher<PendingDelivery, Attempt>({
    store,
    leases: options.leases,
    signals: options.signals,
    queue: createWebhookQueue(now),
    maxInFlight,
    onError,
    ...(options.settleLimitMs !== undefined && { settleLimitMs: options.settleLimitMs }),
    load: (claimed) => loadDeliveries(store, claimed, now()),
    async attempt(delivery, isLeased) {
      const attempt = await attemptDelivery({ ...context, isLeased }, delivery);
      // Release an aborted attempt. The endpoint may not have received it, so another process should retry it immediately.
      return attempt.failure === "aborted" ? undefined : attempt;
    },
    async settle(trx, attempted) {
      const { attempts, endpoints } = await settleAttempts(trx, context, attempted);
      return () => {
        for (const record of endpoints) onEndpoint?.(record);
        for (const record of attempts) onAttempt?.(record);
      };
    },
  });
  return {
    wake: dispatcher.wake,
    async stop() {
      const abortTimer = setTimeout(() => aborting.abort(), options.finishWithinMs ?? 12_000);
      await dispatcher.stop();
      clearTimeout(abortTimer);
    },
  };
}

/**
 * Creates the queue of deliveries, with one lane per endpoint. A lane is closed while its endpoint is disabled (D-73) or removed
 * (D-120), and while the endpoint's circuit breaker is open. After that, the breaker is half-open, and one attempt to deliver a worker's
 * response, the probe, closes it or opens it again (D-72).
 */
export const createWebhookQueue = (now: () => Date): OutboxQueue => ({
  name: "webhooks",
  wokenBy: ["delivery", "endpoint"],
  table: "deliveries",
  id: "sequence",
  lane: "organisation_id",
  laneState(lane) {
    // Convert the time, because the breaker uses this process's clock, but the queue uses the database's clock.
    const at = sql`${now()}::timestamptz`;
    return sql<LaneState>`
      select now() + (breaker_open_until - ${at}) as opens_at,
        case when breaker_open_until is null then ${endpointCapacity} when breaker_open_until > ${at} then 0 else 1 end as capacity
      from endpoints where organisation_id = ${lane} and disabled_at is null`;
  },
  // A contact, whose order key is its event id, cannot close the breaker, so due responses go first.
  isBlocked: sql`open_lane.opens_at is not null and head.order_key = head.event_id and exists (
    select from deliveries as response where response.organisation_id = head.organisation_id
      and response.due_at <= now() and response.order_key <> response.event_id)`,
});
