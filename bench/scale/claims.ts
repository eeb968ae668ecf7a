// Claims and settles deliveries on one store, without HTTP; the parent decides what else the store holds.

import { defaultBreakerPolicy } from "@offers/contract/circuit-breaker";
import { defaultRetrySchedule } from "@offers/contract/retry-schedule";
import { claimRows } from "../../examples/platform/src/outbox/claim.ts";
import { openLeases } from "../../examples/platform/src/outbox/leases.ts";
import type { Lease } from "../../examples/platform/src/outbox/queue.ts";
import { openStore } from "../../examples/platform/src/store/open-store.ts";
import { loadDeliveries } from "../../examples/platform/src/webhooks/attempt-delivery.ts";
import { settleAttempts } from "../../examples/platform/src/webhooks/settle-attempts.ts";
import { webhooks } from "../../examples/platform/src/webhooks/start-delivery.ts";
import { median } from "../median.ts";
import { addBurden, addBusy, addDue, type Burden } from "./grow.ts";

export type Task = { burden: Burden; size: number } | { deliver: number } | "upkeep";

export interface Claims {
  /** Of a claim of a hundred, in milliseconds. */
  claimMs: number;
  /** Claimed and settled in a second. */
  perSecond: number;
  /** Of a look when nothing is due. */
  emptyLookMs: number;
}

const [, , options = ""] = process.argv;
const onError = (error: unknown): never => {
  throw error;
};
// As the platform delivers.
const { background: store } = await openStore({ ...JSON.parse(options), onError });
const leases = await openLeases(store, { onError });
const now = (): Date => new Date();
const queue = webhooks(now);
const context = { now, random: Math.random, breaker: defaultBreakerPolicy, retrySchedule: defaultRetrySchedule };
const perClaim = 100;

async function settle(claimed: readonly Lease[]): Promise<void> {
  const rows = await loadDeliveries(store, claimed, now());
  const made = claimed.flatMap((lease) => {
    const row = rows.get(lease.rowId);
    if (row === undefined) return [];
    const path = "/contact/new/{workerId}";
    const attempt = {
      number: 1,
      method: "GET",
      path,
      filledPath: path,
      durationMs: 1,
      status: 200,
    } as const;
    return [{ lease, row, result: { ...attempt, startedAt: now() } }];
  });
  await store.transaction((trx) => settleAttempts(trx, context, made));
}

async function deliver(count: number): Promise<Claims> {
  await addDue(store, count);
  const claimMs: number[] = [];
  const startedAt = performance.now();
  let done = 0;
  while (done < count) {
    const from = performance.now();
    const claimed = (await claimRows(store, leases, queue, perClaim)) ?? [];
    if (claimed.length === perClaim) claimMs.push(performance.now() - from);
    if (claimed.length > 0) await settle(claimed);
    done += claimed.length;
  }
  const perSecond = count / ((performance.now() - startedAt) / 1_000);
  const lookMs: number[] = [];
  for (let look = 0; look < 20; look += 1) {
    const from = performance.now();
    await claimRows(store, leases, queue, perClaim);
    lookMs.push(performance.now() - from);
  }
  return { claimMs: median(claimMs), perSecond, emptyLookMs: median(lookMs) };
}

async function perform(task: Task): Promise<Claims | "done"> {
  if (task === "upkeep") await store.execute("vacuum analyze");
  else if ("deliver" in task) return deliver(task.deliver);
  else await addBurden(store, task.burden, task.size);
  return "done";
}

process.on("message", (task: Task) => {
  perform(task).then((result) => process.send?.(result), onError);
});
process.on("disconnect", async () => {
  await leases.stop();
  await store.close();
  process.exit();
});
await addBusy(store);
// V8 compiles meanwhile what it will.
await deliver(2_000);
process.send?.("ready");
