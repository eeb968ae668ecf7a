import { setTimeout } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { claimRows } from "../../src/outbox/claim.ts";
import { Leases } from "../../src/outbox/leases.ts";
import type { Notification } from "../../src/push/push-transport.ts";
import { pushQueue } from "../../src/push/start-push.ts";
import { eventually } from "../support/eventually.ts";
import { anyStore } from "../support/stores/stores.ts";
import { createVirtualTime } from "../support/virtual-time.ts";
import { usePush } from "./use-push.ts";

describe.each(await anyStore())("push on $title", ({ createDatabase }) => {
  const push = usePush(createDatabase);
  const { startSending, addOffer, addWorkers, notify, countUnsent } = push;

  test("every device of every worker gets its own notification [D-48] [interface: Overview 1c]", async () => {
    const sent: { platform: string; notification: Notification }[] = [];
    startSending({ send: async ({ platform }, notification) => void sent.push({ platform, notification }) });
    const offerId = await addOffer();
    const [workerId = ""] = await addWorkers(1, ["ios", "android"]);
    await addWorkers(1);
    expect(await notify(offerId, [workerId])).toBe(2);
    await eventually("both are marked as sent", async () => (await countUnsent(offerId)) === 0);
    expect(sent.map(({ platform }) => platform).sort()).toEqual(["android", "ios"]);
    expect(sent[0]?.notification).toMatchObject({ workerId, offerId, offerTitle: "Night shift", reason: "offer" });
  });

  test("the pause before a push is retried doubles after each rejection [D-48]", async () => {
    const time = createVirtualTime(push.fixture, { queue: "pushes" });
    const hourMs = 3_600_000;
    let rejectionCount = 0;
    const send = async (): Promise<void> => {
      rejectionCount += 1;
      if (rejectionCount < 3) throw new Error("busy");
    };
    startSending({ send }, { firstRetryMs: hourMs });
    const offerId = await addOffer();
    await notify(offerId, await addWorkers(1));
    for (const hours of [1, 2]) {
      await time.waitUntilIdle();
      const pauseMs = Number(await time.nextDueAt()) - time.now().getTime();
      expect(pauseMs).toBeGreaterThan((hours - 0.1) * hourMs);
      expect(pauseMs).toBeLessThanOrEqual(hours * hourMs + 1_000);
      expect([rejectionCount, await countUnsent(offerId)]).toEqual([hours, 1]);
      await time.advance(hours * hourMs);
    }
    await eventually("the push is sent", async () => (await countUnsent(offerId)) === 0);
  });

  test("a push that the transport rejected is retried [D-48]", async () => {
    let sendCount = 0;
    startSending({
      send: async () => {
        sendCount += 1;
        if (sendCount === 1) throw new Error("busy");
      },
    });
    const offerId = await addOffer();
    await notify(offerId, await addWorkers(1));
    await eventually("the push is sent", async () => (await countUnsent(offerId)) === 0);
    const row = push.fixture.store.db.selectFrom("notifications").select("attempts").where("offer_id", "=", offerId);
    expect(await row.executeTakeFirstOrThrow()).toEqual({ attempts: 2 });
    expect(push.fixture.errors).toMatchObject([{ message: "busy" }]);
  });

  test("a different process sends a push if the process that claimed it died and the lease has ended", async () => {
    const offerId = await addOffer();
    await notify(offerId, await addWorkers(1));
    const deadProcess = new Leases(push.fixture.store, 2_000, (error) => push.fixture.errors.push(error));
    expect(await claimRows(push.fixture.store, deadProcess, pushQueue, 10)).toHaveLength(1);
    let sendCount = 0;
    startSending({
      async send() {
        sendCount += 1;
      },
    });
    await eventually("the push is sent", async () => (await countUnsent(offerId)) === 0);
    expect(sendCount).toBe(1);
  });

  test("an offer to 3,000 workers is written in one transaction and does not delay the next offer's push", async () => {
    const [largeOfferId, smallOfferId] = [await addOffer(), await addOffer()];
    const manyWorkerIds = await addWorkers(3_000);
    const [workerId = ""] = await addWorkers(1);
    expect(await notify(largeOfferId, manyWorkerIds)).toBe(3_000);
    await notify(smallOfferId, [workerId]);
    let sentBefore = 0;
    let isSmallSent = false;
    startSending({
      send: async (_, { offerId }) => {
        if (offerId === smallOfferId) isSmallSent = true;
        else if (!isSmallSent) sentBefore += 1;
      },
    });
    await eventually("the small offer is sent", async () => (await countUnsent(smallOfferId)) === 0);
    expect(sentBefore).toBeLessThan(1_000);
    await eventually("all are sent", async () => (await countUnsent(largeOfferId)) === 0);
  });

  test("the retry of a rejected push has a lower priority than a first push", async () => {
    const [largeOfferId, smallOfferId] = [await addOffer(), await addOffer()];
    const [workerId = ""] = await addWorkers(1);
    const rejectedDevices = new Set<string>();
    let retries = 0;
    let retriesBefore: number | undefined;
    startSending(
      {
        async send({ id }, { offerId }) {
          if (offerId === smallOfferId) retriesBefore = retries;
          else if (rejectedDevices.has(id)) retries += 1;
          else {
            rejectedDevices.add(id);
            throw new Error("busy");
          }
          await setTimeout(20);
        },
      },
      { firstRetryMs: 1 },
    );
    await notify(largeOfferId, await addWorkers(2_000));
    await eventually("all were rejected", () => rejectedDevices.size === 2_000);
    await notify(smallOfferId, [workerId]);
    const retriesAtStart = retries;
    await eventually("the small offer is sent", () => retriesBefore !== undefined);
    expect((retriesBefore ?? Number.NaN) - retriesAtStart).toBeLessThan(800);
    await eventually("all are sent", async () => (await countUnsent(largeOfferId)) === 0);
  });

  test("a slow push does not delay other pushes", async () => {
    const [slowOfferId, quickOfferId] = [await addOffer(), await addOffer()];
    const workers = await addWorkers(20);
    let finish = (): void => undefined;
    const finished = new Promise<void>((resolve) => {
      finish = resolve;
    });
    startSending({ send: (_, { offerId }) => (offerId === slowOfferId ? finished : Promise.resolve()) });
    await notify(slowOfferId, workers.slice(0, 1));
    await notify(quickOfferId, workers);
    await eventually("the quick pushes are sent", async () => (await countUnsent(quickOfferId)) === 0);
    expect(await countUnsent(slowOfferId)).toBe(1);
    finish();
    await eventually("the slow push is sent", async () => (await countUnsent(slowOfferId)) === 0);
  });
});
