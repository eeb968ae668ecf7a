import { sql } from "kysely";
import { describe, expect, test } from "vitest";
import { pickNumRuns } from "../../../../scripts/property-seed.ts";
import type { FeedNotification } from "../../src/push/notification-feed.ts";
import { notifyWorkers } from "../../src/push/notify-workers.ts";
import type { Notification, PushTransport } from "../../src/push/push-transport.ts";
import { maxPushAttempts } from "../../src/push/start-push.ts";
import { eventually } from "../support/eventually.ts";
import { anyStore } from "../support/stores/stores.ts";
import { usePush } from "./use-push.ts";

describe.each(await anyStore())("the notification feed on $title", ({ createDatabase, title }) => {
  const push = usePush(createDatabase);
  const { startSending, openFeed, publish, addOffer, addWorkers, notify, countUnsent } = push;

  test("the feed passes a notification immediately to its worker and to nobody else", async () => {
    const feed = openFeed();
    const [subscriberId = "", otherId = ""] = await addWorkers(2);
    const received: Notification[] = [];
    const end = feed.subscribe(subscriberId, 0, (notification) => received.push(notification));
    await notify(await addOffer(), [subscriberId, otherId]);
    publish([subscriberId]);
    await eventually("the subscriber gets it", () => received.length > 0);
    expect(received).toMatchObject([{ workerId: subscriberId, offerTitle: "Night shift" }]);
    end();
    let receivedByOther = 0;
    feed.subscribe(otherId, 0, () => {
      receivedByOther += 1;
    });
    await notify(await addOffer(), [subscriberId, otherId]);
    publish([subscriberId, otherId]);
    await eventually("the next notification arrives", () => receivedByOther > 0);
    await feed.stop();
    expect(received).toHaveLength(1);
  });

  test("the feed resumes after the last notification that a subscriber got", async () => {
    const feed = openFeed();
    const [workerId = ""] = await addWorkers(1);
    const offers = [await addOffer(), await addOffer(), await addOffer()];
    const [last = ""] = offers.slice(-1);
    for (const offerId of offers.slice(0, -1)) await notify(offerId, [workerId]);
    const received: Notification[] = [];
    feed.subscribe(workerId, 0, (notification) => received.push(notification));
    const seen = await feed.readAll(workerId);
    expect(seen.map(({ offerId }) => offerId)).toEqual(offers.slice(0, -1));
    await notify(last, [workerId]);
    publish([workerId]);
    await eventually("the last notification is received", () => received.some(({ offerId }) => offerId === last));
    const missed = received.filter(({ id }) => !seen.some((notification) => notification.id === id));
    expect(missed.map(({ offerId }) => offerId)).toEqual([last]);
    await feed.stop();
  });

  test("the feed returns a notification that is committed late after the notifications already returned [D-48]", async ({
    skip,
  }) => {
    skip(title === "PGlite", "PGlite runs one transaction at a time, so none commits out of order");
    const feed = openFeed();
    const [workerId = ""] = await addWorkers(1);
    const [lateId, earlyId] = [await addOffer(), await addOffer()];
    let markWritten = () => {};
    const written = new Promise<void>((resolve) => {
      markWritten = resolve;
    });
    let commit = () => {};
    const mayCommit = new Promise<void>((resolve) => {
      commit = resolve;
    });
    const lateTransaction = push.fixture.store.transaction(async (trx) => {
      await notifyWorkers(trx, { offerId: lateId, workerIds: [workerId], reason: "offer" });
      markWritten();
      await mayCommit;
    });
    await written;
    await notify(earlyId, [workerId]);
    const seen = await feed.readAll(workerId);
    expect(seen.map(({ offerId }) => offerId)).toEqual([earlyId]);
    commit();
    await lateTransaction;
    const all = await feed.readAll(workerId);
    expect(all.map(({ offerId }) => offerId)).toEqual([earlyId, lateId]);
    expect(all[0]?.id).toBeGreaterThan(all[1]?.id ?? 0);
    expect(all[0]?.position).toBe(seen[0]?.position);
    expect(all[1]?.position).toBeGreaterThan(seen[0]?.position ?? 0);
    await feed.stop();
  });

  test("the feed is not delayed by an open transaction that supersedes a push [D-48]", async ({ skip }) => {
    skip(title === "PGlite", "PGlite runs one transaction at a time");
    const feed = openFeed();
    const [workerId = ""] = await addWorkers(1);
    const [lockedId, otherId] = [await addOffer(), await addOffer()];
    await notify(lockedId, [workerId]);
    await notify(otherId, [workerId]);
    const received: string[] = [];
    let markLocked = () => {};
    const locked = new Promise<void>((resolve) => {
      markLocked = resolve;
    });
    let end = () => {};
    const mayEnd = new Promise<void>((resolve) => {
      end = resolve;
    });
    const supersedingTransaction = push.fixture.store.transaction(async (trx) => {
      await notifyWorkers(trx, { offerId: lockedId, workerIds: [workerId], reason: "withdrawn" });
      markLocked();
      await mayEnd;
      throw new Error("the withdrawal failed, so that no signal follows");
    });
    await locked;
    feed.subscribe(workerId, 0, ({ offerId }) => received.push(offerId));
    publish([workerId]);
    await eventually("the other offer is received", () => received.includes(otherId));
    end();
    await expect(supersedingTransaction).rejects.toThrow("the withdrawal failed");
    await eventually("the locked offer is received", () => received.includes(lockedId));
    expect(received).toEqual([otherId, lockedId]);
    await feed.stop();
  });

  const writerCount = 8;
  const notificationsPerWriter = pickNumRuns(15, 1_250);
  test("the feed skips and repeats nothing with eight writers and with streams that disconnect and resume", {
    timeout: 600_000,
  }, async () => {
    const feed = openFeed();
    const workerIds = await addWorkers(10);
    const received = new Map(workerIds.map((id) => [`steady ${id}`, [] as FeedNotification[]]));
    for (const id of workerIds)
      feed.subscribe(id, 0, (notification) => received.get(`steady ${id}`)?.push(notification));
    // Simulate phones that lose their connection forty times and resume after the last notification.
    const total = writerCount * notificationsPerWriter;
    const disconnectAfter = total / 40;
    const subscribeAndReconnect = (id: string, after: number): void => {
      const notifications = received.get(`interrupted ${id}`) ?? [];
      received.set(`interrupted ${id}`, notifications);
      const unsubscribe = feed.subscribe(id, after, (notification) => {
        notifications.push(notification);
        if (notifications.length % disconnectAfter !== 0) return;
        unsubscribe();
        setImmediate(subscribeAndReconnect, id, notification.position);
      });
    };
    for (const id of workerIds) subscribeAndReconnect(id, 0);

    const notifyInBatches = async (writer: number) => {
      const offerId = await addOffer();
      for (let index = 0; index < notificationsPerWriter; ) {
        const batchSize = Math.min(1 + ((index + writer) % 25), notificationsPerWriter - index);
        await push.fixture.store.transaction(async (trx) => {
          for (let number = 0; number < batchSize; number += 1)
            await notifyWorkers(trx, { offerId, workerIds, reason: "offer" });
        });
        publish(workerIds);
        index += batchSize;
      }
    };
    await Promise.all(Array.from({ length: writerCount }, (_, writer) => notifyInBatches(writer)));
    const areComplete = () => [...received.values()].every(({ length }) => length >= total);
    await eventually("every stream is complete", areComplete);
    for (const [stream, notifications] of received) {
      const ids = new Set(notifications.map(({ id }) => id));
      expect([stream, notifications.length, ids.size]).toEqual([stream, total, total]);
      expect(notifications.map(({ position }) => position)).toEqual(
        Array.from({ length: total }, (_, index) => index + 1),
      );
    }
    await feed.stop();
  });

  test("the feed delivers a notification from a half-minute transaction after later notifications", async () => {
    const feed = openFeed();
    const [workerId = ""] = await addWorkers(1);
    const [earlyId, lateId] = [await addOffer(), await addOffer()];
    const received: string[] = [];
    feed.subscribe(workerId, 0, ({ offerId }) => received.push(offerId));
    await notify(earlyId, [workerId]);
    publish([workerId]);
    await eventually("the first is received", () => received.includes(earlyId));
    await push.fixture.store.transaction(async (trx) => {
      await notifyWorkers(trx, { offerId: lateId, workerIds: [workerId], reason: "offer" });
      await sql`update notifications set created_at = now() - interval '30 seconds' where offer_id = ${lateId}`.execute(
        trx,
      );
    });
    publish([workerId]);
    await eventually("the second is received", () => received.includes(lateId));
    expect(received).toEqual([earlyId, lateId]);
    await feed.stop();
  });

  test("a notification that the transport rejects is on the menu once and in order [D-48]", async () => {
    const feed = openFeed();
    const [workerId = ""] = await addWorkers(1);
    const offers = [await addOffer(), await addOffer()];
    const [rejectedOffer] = offers;
    let rejectionCount = 0;
    const send: PushTransport["send"] = async (_, { offerId }) => {
      if (offerId !== rejectedOffer) return;
      rejectionCount += 1;
      throw new Error("the phone is off");
    };
    startSending({ send }, { firstRetryMs: 1 });
    const received: Notification[] = [];
    feed.subscribe(workerId, 0, (notification) => received.push(notification));
    for (const [index, offerId] of offers.entries()) {
      await notify(offerId, [workerId]);
      publish([workerId]);
      await eventually("the notification is received", () => received.length === index + 1);
    }
    await eventually("the push has failed for good", () => rejectionCount === maxPushAttempts);
    expect((await feed.readAll(workerId)).map(({ offerId }) => offerId)).toEqual(offers);
    expect(received.map(({ offerId }) => offerId)).toEqual(offers);
    await feed.stop();
  });

  test("a worker without a device gets the notification on the menu [D-48]", async () => {
    const feed = openFeed();
    const sent: Notification[] = [];
    startSending({ send: async (_, notification) => void sent.push(notification) });
    const [workerId = ""] = await addWorkers(1, []);
    const offerId = await addOffer();
    expect(await notify(offerId, [workerId])).toBe(1);
    await eventually("the notification is on the menu", async () => (await feed.readAll(workerId)).length > 0);
    expect(await feed.readAll(workerId)).toMatchObject([{ offerId, deviceId: null }]);
    await eventually("nothing is left to send", async () => (await countUnsent(offerId)) === 0);
    expect(sent).toEqual([]);
    await feed.stop();
  });
});
