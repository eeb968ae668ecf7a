// Claims and settles deliveries as the platform does, but sends no requests: every attempt is acknowledged at once.

import { defaultBreakerPolicy } from "@offers/contract/circuit-breaker";
import { defaultRetrySchedule } from "@offers/contract/retry-schedule";
import { startDispatcher } from "../../examples/platform/src/outbox/dispatcher.ts";
import { openLeases } from "../../examples/platform/src/outbox/leases.ts";
import { openStore } from "../../examples/platform/src/store/open-store.ts";
import { openSignals } from "../../examples/platform/src/store/signals.ts";
import {
  type Attempt,
  loadDeliveries,
  type PendingDelivery,
} from "../../examples/platform/src/webhooks/attempt-delivery.ts";
import { settleAttempts } from "../../examples/platform/src/webhooks/settle-attempts.ts";
import { webhooks } from "../../examples/platform/src/webhooks/start-delivery.ts";

const [, , options = ""] = process.argv;
const onError = (error: unknown): void => console.error(error);
const { background: store } = await openStore({ ...JSON.parse(options), onError });
const signals = openSignals(store, { onError });
const leases = await openLeases(store, { onError });
const now = (): Date => new Date();
const context = { now, random: Math.random, breaker: defaultBreakerPolicy, retrySchedule: defaultRetrySchedule };
const path = "/contact/new/{workerId}";

const dispatcher = startDispatcher<PendingDelivery, Attempt>({
  store,
  leases,
  signals,
  queue: webhooks(now),
  maxUnderWay: 512,
  onError,
  load: (claimed) => loadDeliveries(store, claimed, now()),
  attempt: async () => ({
    number: 1,
    method: "GET",
    path,
    filledPath: path,
    startedAt: now(),
    durationMs: 1,
    status: 200,
  }),
  async settle(trx, attempted) {
    const { attempts } = await settleAttempts(trx, context, attempted);
    return () => process.send?.(attempts.length);
  },
});
process.on("disconnect", async () => {
  await dispatcher.stop();
  await leases.stop();
  await signals.stop();
  await store.close();
  process.exit();
});
