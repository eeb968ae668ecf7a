import { randomUUID } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { sql } from "kysely";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { claimRows } from "../../src/outbox/claim-rows.ts";
import { Leases } from "../../src/outbox/leases.ts";
import { inboxTransport } from "../../src/push/inbox-transport.ts";
import { type NotificationFeedOptions, openNotificationFeed } from "../../src/push/notification-feed.ts";
import { notifyWorkers } from "../../src/push/notify-workers.ts";
import { pushes } from "../../src/push/push-queue.ts";
import type { Notification, PushTransport } from "../../src/push/push-transport.ts";
import { maxPushAttempts, type PushOptions, startPush } from "../../src/push/start-push.ts";
import { openSignals, type Signals } from "../../src/signals/open-signals.ts";
import { eventually } from "../support/eventually.ts";
import { addOrganisation, type LowerHalf, openLowerHalf } from "../support/lower-half.ts";
import { type StorePlace, storesUnderTest } from "../support/stores/stores.ts";
import { virtualTime } from "../support/virtual-time.ts";

describe.each(await storesUnderTest())("push on $title", ({ createPlace }) => {
  let place: StorePlace;
  let half: LowerHalf;
  let signals: Signals;

  beforeAll(async () => {
    place = await createPlace();
    half = await openLowerHalf(place);
    signals = openSignals(half.store, { onError: (error) => half.errors.push(error) });
  });
  afterAll(async () => {
    await signals.stop();
    await half.close();
    await place.remove();
  });
  afterEach(() => half.reset());

  const start = (transport: PushTransport = inboxTransport, options: Partial<PushOptions> = {}): void => {
    const { store, leases, errors } = half;
    const onError = (error: unknown): void => void errors.push(error);
    half.adopt(startPush({ store, leases, transport, onError, firstRetryMs: 20, ...options }));
  };
  const openFeed = (options: Partial<NotificationFeedOptions> = {}) =>
    openNotificationFeed(half.store, { signals, onError: (error) => half.errors.push(error), ...options });
  const onTold = (workerIds: string[]): void => signals.publish({ topic: "notification", workerIds });

  async function addOffer(): Promise<string> {
    const id = randomUUID();
    await half.store.db
      .insertInto("offers")
      .values({
        id,
        organisation_id: await addOrganisation(half.store),
        created_by_user_id: "user-1",
        title: "Night shift",
        details: "",
        location_place_id: "",
        notify_email_address: null,
        events: "[]",
        ends_at: null,
      })
      .execute();
    return id;
  }

  async function addWorkers(count: number, devices: readonly ("ios" | "android")[] = ["ios"]): Promise<string[]> {
    const ids = Array.from({ length: count }, () => randomUUID());
    for (let from = 0; from < count; from += 1_000) {
      const some = ids.slice(from, from + 1_000);
      const workers = some.map((id) => ({ id, name: "Ann", password_hash: "" }));
      await half.store.db.insertInto("workers").values(workers).execute();
      const rows = some.flatMap((id) => devices.map((platform) => ({ id: randomUUID(), worker_id: id, platform })));
      if (rows.length > 0) await half.store.db.insertInto("devices").values(rows).execute();
    }
    return ids;
  }

  const notify = (offerId: string, workerIds: readonly string[]) =>
    half.store.transaction((trx) => notifyWorkers(trx, { offerId, workerIds, reason: "offer" }));
  const unsent = async (offerId: string): Promise<number> => {
    const query = half.store.db.selectFrom("notifications").select(({ fn }) => fn.countAll<number>().as("count"));
    const { count } = await query
      .where("offer_id", "=", offerId)
      .where("sent_at", "is", null)
      .executeTakeFirstOrThrow();
    return count;
  };

  test("every device of every worker is sent its own notification", async () => {
    const sent: { platform: string; notification: Notification }[] = [];
    start({ send: async ({ platform }, notification) => void sent.push({ platform, notification }) });
    const offerId = await addOffer();
    const [workerId = ""] = await addWorkers(1, ["ios", "android"]);
    await addWorkers(1);
    expect(await notify(offerId, [workerId])).toBe(2);
    await eventually("both are marked as sent", async () => (await unsent(offerId)) === 0);
    expect(sent.map(({ platform }) => platform).sort()).toEqual(["android", "ios"]);
    expect(sent[0]?.notification).toMatchObject({ workerId, offerId, offerTitle: "Night shift", reason: "offer" });
  });

  test("the feed tells a subscriber at once, and no other worker", async () => {
    const feed = openFeed();
    const [listening = "", silent = ""] = await addWorkers(2);
    const heard: Notification[] = [];
    const end = feed.subscribe(listening, (notification) => heard.push(notification));
    await notify(await addOffer(), [listening, silent]);
    onTold([listening]);
    await eventually("the subscriber hears", () => heard.length > 0);
    expect(heard).toMatchObject([{ workerId: listening, offerTitle: "Night shift" }]);
    end();
    let others = 0;
    feed.subscribe(silent, () => {
      others += 1;
    });
    await notify(await addOffer(), [listening, silent]);
    onTold([listening, silent]);
    await eventually("the next is told", () => others > 0);
    await feed.stop();
    expect(heard).toHaveLength(1);
  });

  test("the feed resumes after the last notification seen", async () => {
    const feed = openFeed();
    const [workerId = ""] = await addWorkers(1);
    const offers = [await addOffer(), await addOffer(), await addOffer()];
    const [last = ""] = offers.slice(-1);
    for (const offerId of offers.slice(0, -1)) await notify(offerId, [workerId]);
    const heard: Notification[] = [];
    feed.subscribe(workerId, (notification) => heard.push(notification));
    const seen = await feed.since(workerId);
    expect(seen.map(({ offerId }) => offerId)).toEqual(offers.slice(0, -1));
    await notify(last, [workerId]);
    onTold([workerId]);
    await eventually("the last is heard", () => heard.some(({ offerId }) => offerId === last));
    const missed = heard.filter(({ id }) => !seen.some((notification) => notification.id === id));
    expect(missed.map(({ offerId }) => offerId)).toEqual([last]);
    await feed.stop();
  });

  test("the feed tells after a gap what was written in it", async () => {
    let elapsedMs = 0;
    const feed = openFeed({ elapsedMs: () => elapsedMs });
    const [workerId = ""] = await addWorkers(1);
    const heard: Notification[] = [];
    feed.subscribe(workerId, (notification) => heard.push(notification));
    const offerId = await addOffer();
    await half.store.transaction(async (trx) => {
      await notifyWorkers(trx, { offerId, workerIds: [workerId], reason: "offer" });
      await sql`update notifications set created_at = now() - interval '30 seconds'`.execute(trx);
    });
    // The database was away for a minute, or this process was.
    elapsedMs = 60_000;
    onTold([workerId]);
    await eventually("it is heard", () => heard.length > 0);
    expect(heard).toMatchObject([{ offerId }]);
    await feed.stop();
  });

  test("the pause after a refusal is twice as long each time", async () => {
    const time = virtualTime(half, { queue: "pushes" });
    const hourMs = 3_600_000;
    let refusals = 0;
    const send = async (): Promise<void> => {
      refusals += 1;
      if (refusals < 3) throw new Error("busy");
    };
    start({ send }, { firstRetryMs: hourMs });
    const offerId = await addOffer();
    await notify(offerId, await addWorkers(1));
    for (const hours of [1, 2]) {
      await time.quiet();
      const pauseMs = Number(await time.nextAt()) - time.now().getTime();
      expect(pauseMs).toBeGreaterThan((hours - 0.1) * hourMs);
      expect(pauseMs).toBeLessThanOrEqual(hours * hourMs + 1_000);
      expect([refusals, await unsent(offerId)]).toEqual([hours, 1]);
      await time.advance(hours * hourMs);
    }
    await eventually("it is sent", async () => (await unsent(offerId)) === 0);
  });

  test("one that the transport refused is sent again later", async () => {
    let refusals = 1;
    start({
      send: async () => {
        if (refusals-- > 0) throw new Error("busy");
      },
    });
    const offerId = await addOffer();
    await notify(offerId, await addWorkers(1));
    await eventually("it is sent", async () => (await unsent(offerId)) === 0);
    const row = half.store.db.selectFrom("notifications").select("attempts").where("offer_id", "=", offerId);
    expect(await row.executeTakeFirstOrThrow()).toEqual({ attempts: 2 });
    expect(half.errors).toMatchObject([{ message: "busy" }]);
  });

  test("one that the transport refuses is told by the menu all the same, once and in its place", async () => {
    const feed = openFeed();
    const [workerId = ""] = await addWorkers(1);
    const offers = [await addOffer(), await addOffer()];
    const [refused] = offers;
    let refusals = 0;
    const send: PushTransport["send"] = async (_, { offerId }) => {
      if (offerId !== refused) return;
      refusals += 1;
      throw new Error("the phone is off");
    };
    start({ send }, { firstRetryMs: 1 });
    const heard: Notification[] = [];
    feed.subscribe(workerId, (notification) => heard.push(notification));
    for (const [index, offerId] of offers.entries()) {
      await notify(offerId, [workerId]);
      onTold([workerId]);
      await eventually("it is heard", () => heard.length === index + 1);
    }
    await eventually("it is given up", () => refusals === maxPushAttempts);
    expect((await feed.since(workerId)).map(({ offerId }) => offerId)).toEqual(offers);
    expect(heard.map(({ offerId }) => offerId)).toEqual(offers);
    await feed.stop();
  });

  test("a worker without a device is told by the menu", async () => {
    const feed = openFeed();
    const sent: Notification[] = [];
    start({ send: async (_, notification) => void sent.push(notification) });
    const [workerId = ""] = await addWorkers(1, []);
    const offerId = await addOffer();
    expect(await notify(offerId, [workerId])).toBe(1);
    await eventually("it is on the menu", async () => (await feed.since(workerId)).length > 0);
    expect(await feed.since(workerId)).toMatchObject([{ offerId, deviceId: null }]);
    await eventually("nothing is left to send", async () => (await unsent(offerId)) === 0);
    expect(sent).toEqual([]);
    await feed.stop();
  });

  test("one that a process claimed which died is sent by another when the lease has ended", async () => {
    const offerId = await addOffer();
    await notify(offerId, await addWorkers(1));
    const dead = new Leases(half.store, 2_000, (error) => half.errors.push(error));
    expect(await claimRows(half.store, dead, pushes, 10)).toHaveLength(1);
    let sent = 0;
    start({
      async send() {
        sent += 1;
      },
    });
    await eventually("it is sent", async () => (await unsent(offerId)) === 0);
    expect(sent).toBe(1);
  });

  test("an offer to 10,000 workers is one transaction, and does not delay the next offer", async () => {
    const [large, small] = [await addOffer(), await addOffer()];
    const many = await addWorkers(10_000);
    const [workerId = ""] = await addWorkers(1);
    expect(await notify(large, many)).toBe(10_000);
    await notify(small, [workerId]);
    let othersBefore = 0;
    let smallSent = false;
    start({
      send: async (_, { offerId }) => {
        if (offerId === small) smallSent = true;
        else if (!smallSent) othersBefore += 1;
      },
    });
    await eventually("the small one is sent", async () => (await unsent(small)) === 0);
    expect(othersBefore).toBeLessThan(1_000);
    await eventually("all are sent", async () => (await unsent(large)) === 0);
  });

  test("what was refused once lets the first pushes of others pass", async () => {
    const [large, small] = [await addOffer(), await addOffer()];
    const [workerId = ""] = await addWorkers(1);
    const refused = new Set<string>();
    let others = 0;
    let othersBefore: number | undefined;
    start(
      {
        async send({ id }, { offerId }) {
          if (offerId === small) othersBefore = others;
          else if (refused.has(id)) others += 1;
          else {
            refused.add(id);
            throw new Error("busy");
          }
          await setTimeout(20);
        },
      },
      { firstRetryMs: 1 },
    );
    await notify(large, await addWorkers(2_000));
    await eventually("all were refused", () => refused.size === 2_000);
    const before = others;
    await notify(small, [workerId]);
    await eventually("the small one is sent", () => othersBefore !== undefined);
    expect((othersBefore ?? Number.NaN) - before).toBeLessThan(800);
    await eventually("all are sent", async () => (await unsent(large)) === 0);
  });

  test("one that takes its time holds up no other", async () => {
    const [slow, quick] = [await addOffer(), await addOffer()];
    const workers = await addWorkers(20);
    let finish = (): void => undefined;
    const finished = new Promise<void>((resolve) => {
      finish = resolve;
    });
    start({ send: (_, { offerId }) => (offerId === slow ? finished : Promise.resolve()) });
    await notify(slow, workers.slice(0, 1));
    await notify(quick, workers);
    await eventually("the others are sent", async () => (await unsent(quick)) === 0);
    expect(await unsent(slow)).toBe(1);
    finish();
    await eventually("it is sent as well", async () => (await unsent(slow)) === 0);
  });
});
