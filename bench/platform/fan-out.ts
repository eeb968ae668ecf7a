// Creates offers and sends their notifications, in one process on one store; the parent asks what they cost.

import { createOffer } from "../../examples/platform/src/offers/create-offer.ts";
import { openLeases } from "../../examples/platform/src/outbox/leases.ts";
import { startPush } from "../../examples/platform/src/push/start-push.ts";
import { openStore } from "../../examples/platform/src/store/open-store.ts";
import { median } from "../median.ts";
import { workerId } from "./backlog.ts";

const [, , options = ""] = process.argv;
const onError = (error: unknown): never => {
  throw error;
};
const store = await openStore({ ...JSON.parse(options), onError });
const leases = await openLeases(store.background, { onError });
const { id: organisationId } = await store.db
  .selectFrom("organisations")
  .select("id")
  .limit(1)
  .executeTakeFirstOrThrow();

let onSettled = (_count: number): void => undefined;
const transport = { send: async () => undefined };
const push = startPush({
  store: store.background,
  leases,
  transport,
  onSettled: (count: number) => onSettled(count),
  onError,
});
const deps = { now: () => new Date(), linkTo: (path: string) => `http://localhost${path}` };

/** @returns how long it took in milliseconds until the last notification was marked as sent */
async function fanOut(recipients: number): Promise<number> {
  const workerIds = Array.from({ length: recipients }, (_, number) => workerId(number));
  const start = performance.now();
  const allSent = new Promise<void>((resolve) => {
    let sent = 0;
    onSettled = (count) => {
      sent += count;
      if (sent === recipients) resolve();
    };
  });
  await store.transaction((trx) =>
    createOffer(trx, deps, organisationId, { createdByUserId: "person-1", title: "Bar", workerIds }),
  );
  push.wake();
  await allSent;
  return performance.now() - start;
}

/**
 * What each recipient beyond the first costs, in microseconds; for one recipient, what the offer costs. Both are measured in
 * turns: a slow moment of the machine is longer than an offer.
 */
async function costOf(recipients: number): Promise<number> {
  const alone: number[] = [];
  const all: number[] = [];
  for (let turns = Math.ceil(1_000 / (recipients + 10)); turns > 0; turns -= 1) {
    alone.push(await fanOut(1));
    if (recipients > 1) all.push(await fanOut(recipients));
  }
  const costMs = recipients === 1 ? median(alone) : (median(all) - median(alone)) / (recipients - 1);
  return costMs * 1_000;
}

process.on("message", (recipients: number) => {
  costOf(recipients).then((cost) => process.send?.(cost), onError);
});
process.on("disconnect", async () => {
  await push.stop();
  await leases.stop();
  await store.close();
  process.exit();
});
// V8 compiles meanwhile what it will.
for (let warmUp = 0; warmUp < 50; warmUp += 1) await fanOut(10);
process.send?.("ready");
