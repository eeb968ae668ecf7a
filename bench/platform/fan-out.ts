// Creates offers and sends their notifications, in one process on one store; the parent asks what they cost.
import { createOffer } from "../../examples/platform/src/offers/create-offer.ts";
import { startPush } from "../../examples/platform/src/push/start-push.ts";
import { openQueue } from "../../examples/platform/src/queue/open-queue.ts";
import { openStore } from "../../examples/platform/src/store/open-store.ts";
import { workerId } from "./backlog.ts";

const [, , options = ""] = process.argv;
const onError = (error: unknown): never => {
  throw error;
};
const store = await openStore({ ...JSON.parse(options), onError });
const queue = await openQueue(store, { onError });
const { id: organisationId } = await store.db
  .selectFrom("organisations")
  .select("id")
  .limit(1)
  .executeTakeFirstOrThrow();

let sent = 0;
let onSent = (): void => undefined;
const transport = {
  send: async () => {
    sent += 1;
  },
};
const push = startPush({ store, queue, transport, onSent: () => onSent(), onError });
const deps = { store, queue, now: () => new Date(), wake: push.wake };

/** @returns how long it took in milliseconds until the last notification was marked as sent */
async function fanOut(recipients: number): Promise<number> {
  const workerIds = Array.from({ length: recipients }, (_, number) => workerId(number));
  const start = performance.now();
  sent = 0;
  const allSent = new Promise<void>((resolve) => {
    onSent = () => sent === recipients && resolve();
  });
  await store.transaction((trx) =>
    createOffer(trx, deps, organisationId, { createdByUserId: "person-1", title: "Bar", workerIds }),
  );
  push.wake();
  await allSent;
  return performance.now() - start;
}

/** @returns the mean of so many offers that noise does not count, in microseconds */
async function meanCost(recipients: number): Promise<number> {
  const offers = Math.ceil(500 / (recipients + 4));
  let totalMs = 0;
  for (let offer = 0; offer < offers; offer += 1) totalMs += await fanOut(recipients);
  return (totalMs * 1_000) / offers;
}

/** What each recipient beyond the first costs; to one alone, what the offer costs. */
async function costOf(recipients: number): Promise<number> {
  const alone = await meanCost(1);
  return recipients === 1 ? alone : ((await meanCost(recipients)) - alone) / (recipients - 1);
}

process.on("message", (recipients: number) => {
  costOf(recipients).then((cost) => process.send?.(cost), onError);
});
process.on("disconnect", async () => {
  await push.stop();
  await queue.stop();
  await store.close();
  process.exit();
});
await fanOut(10);
process.send?.("ready");
