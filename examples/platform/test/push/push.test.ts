import { setTimeout } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { claimRows } from "../../src/outbox/claim.ts";
import { Leases } from "../../src/outbox/leases.ts";
import type { Notification } from "../../src/push/push-transport.ts";
import { type PushRecord, pushQueue } from "../../src/push/start-push.ts";
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
    const send = async (): Promise<undefined> => {
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

  test("each attempt is reported, and only a push that was sent is recorded as sent [D-48] [D-79]", async () => {
    const records: PushRecord[] = [];
    const onAttempt = (record: PushRecord): void => void records.push(record);
    const outcomes = [new Error("busy"), undefined];
    const send = async () => {
      const outcome = outcomes.shift();
      if (outcome) throw outcome;
      return undefined;
    };
    startSending({ send }, { onAttempt });
    const sentOfferId = await addOffer();
    const [workerId = ""] = await addWorkers(1);
    await notify(sentOfferId, [workerId]);
    await eventually("the push is sent", async () => (await countUnsent(sentOfferId)) === 0);
    await push.fixture.reset();

    startSending(undefined, { onAttempt });
    const menuOfferId = await addOffer();
    const [menuWorkerId = ""] = await addWorkers(1);
    const [otherWorkerId = ""] = await addWorkers(1, []);
    await notify(menuOfferId, [menuWorkerId, otherWorkerId]);
    await eventually("both workers are reported", () => records.length === 4);
    const rows = await push.fixture.store.db.selectFrom("notifications").select(["offer_id", "sent_at"]).execute();
    expect(rows.filter(({ sent_at }) => sent_at !== null).map(({ offer_id }) => offer_id)).not.toContain(menuOfferId);
    const attempt = { notificationId: expect.any(Number), offerId: sentOfferId, reason: "offer" };
    const onDevice = { platform: "ios" };
    expect(records.slice(0, 2)).toEqual([
      { ...attempt, ...onDevice, number: 1, outcome: "retry" },
      { ...attempt, ...onDevice, number: 2, outcome: "sent" },
    ]);
    const notSent = { ...attempt, offerId: menuOfferId, number: 1, outcome: "not_sent" };
    expect(new Set(records.slice(2))).toEqual(
      new Set([
        { ...notSent, ...onDevice, because: "no_push_service" },
        { ...notSent, platform: null, because: "no_device" },
      ]),
    );
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
    const finished = new Promise<undefined>((resolve) => {
      finish = () => resolve(undefined);
    });
    startSending({ send: (_, { offerId }) => (offerId === slowOfferId ? finished : Promise.resolve(undefined)) });
    await notify(slowOfferId, workers.slice(0, 1));
    await notify(quickOfferId, workers);
    await eventually("the quick pushes are sent", async () => (await countUnsent(quickOfferId)) === 0);
    expect(await countUnsent(slowOfferId)).toBe(1);
    finish();
    await eventually("the slow push is sent", async () => (await countUnsent(slowOfferId)) === 0);
  });
});
