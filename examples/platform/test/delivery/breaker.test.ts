import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { defaultRetrySchedule } from "../../src/delivery/attempt/retry-schedule.ts";
import { defaultBreakerPolicy } from "../../src/delivery/breaker-policy.ts";
import type { EndpointRecord } from "../../src/delivery/endpoint-record.ts";
import { recordEvent } from "../../src/delivery/record-event.ts";
import { webhooks } from "../../src/delivery/webhook-queue.ts";
import { claimRows } from "../../src/outbox/claim-rows.ts";
import { Leases } from "../../src/outbox/leases.ts";
import type { Loop } from "../../src/outbox/run-loop.ts";
import { eventually } from "../support/eventually.ts";
import { addOrganisation, type LowerHalf, openLowerHalf } from "../support/lower-half.ts";
import { type Answer, answerWith, hangUp, openReceiver, type Receiver } from "../support/receiver.ts";
import { type StorePlace, storesUnderTest } from "../support/stores/stores.ts";
import { type VirtualTime, virtualTime } from "../support/virtual-time.ts";

const second = 1_000;
const stores = await storesUnderTest();

const recordFor = (half: LowerHalf, organisationId: string) => (workerId: string) =>
  half.store.transaction(async (trx) => {
    const data = { offerId: "offer-1", workerId, response: "accepted" } as const;
    const recorded = await recordEvent(trx, organisationId, { type: "workerOfferResponse", data });
    return recorded.deliveryId ?? "";
  });

describe.each(stores)("the breaker of an endpoint on $title", ({ createPlace }) => {
  let place: StorePlace;
  let half: LowerHalf;
  let time: VirtualTime;
  let receiver: Receiver;
  let organisationId: string;
  let delivery: Loop;
  let changes: EndpointRecord[];

  beforeAll(async () => {
    place = await createPlace();
    half = await openLowerHalf(place);
  });
  afterAll(async () => {
    await half.close();
    await place.remove();
  });
  beforeEach(async () => {
    receiver = await openReceiver();
    organisationId = await addOrganisation(half.store, receiver.baseAddress);
    time = virtualTime(half);
    changes = [];
  });
  afterEach(async () => {
    await delivery.stop();
    await receiver.close();
    expect(half.errors).toEqual([]);
    await half.reset();
  });

  const start = () => {
    delivery = half.startDelivery({
      ...{ now: time.now, retrySchedule: defaultRetrySchedule },
      ...{ breaker: defaultBreakerPolicy, random: () => 0.5, onEndpoint: (record) => void changes.push(record) },
    });
  };
  const record = (workerId: string) => recordFor(half, organisationId)(workerId);
  const recordMany = async (count: number): Promise<string[]> => {
    const ids: string[] = [];
    for (let worker = 0; worker < count; worker += 1) ids.push(await record(`worker-${worker}`));
    return ids;
  };
  const endpoint = () =>
    half.store.db
      .selectFrom("endpoints")
      .selectAll()
      .where("organisation_id", "=", organisationId)
      .executeTakeFirstOrThrow();
  const deliveries = () =>
    half.store.db.selectFrom("deliveries").selectAll().where("organisation_id", "=", organisationId).execute();
  /** Eighteen first attempts at most: eight may be under way when it opens. */
  const open = async (answer: Answer): Promise<number> => {
    receiver.answer = answer;
    await recordMany(40);
    await time.quiet();
    expect(receiver.requests.length).toBeGreaterThanOrEqual(10);
    expect(receiver.requests.length).toBeLessThan(20);
    return receiver.requests.length;
  };

  test("opens after ten failures in a row: nothing is attempted, and no attempt of the rest is used up", async () => {
    start();
    const attempted = await open(answerWith(500));
    expect(await endpoint()).toMatchObject({ breaker_open_count: 1, breaker_open_until: expect.any(Date) });
    await time.advance(20 * second);
    await time.quiet();
    expect(receiver.requests).toHaveLength(attempted);
    expect((await deliveries()).filter(({ attempts }) => attempts === 0)).toHaveLength(40 - attempted);
    expect(changes).toEqual([
      { organisationId, change: "paused", consecutiveFailures: expect.any(Number), until: expect.any(Date) },
    ]);
  });

  test("lets one attempt through after each pause, and each pause is longer", async () => {
    start();
    let attempted = await open(hangUp);
    for (const [pause, seconds] of [31, 61, 121, 241, 481, 601, 601].entries()) {
      await time.advance(seconds * second);
      await time.quiet();
      attempted += 1;
      expect(receiver.requests).toHaveLength(attempted);
      expect(await endpoint()).toMatchObject({ breaker_open_count: pause + 2 });
    }
  });

  test("is closed by one acknowledgement, which wakes everything that is due", async () => {
    start();
    await open(answerWith(503));
    receiver.answer = answerWith(200);
    await time.until(async () => (await deliveries()).every(({ state }) => state === "acknowledged"));
    expect(await endpoint()).toMatchObject({
      consecutive_failures: 0,
      breaker_open_count: 0,
      breaker_open_until: null,
    });
    expect(changes.map(({ change }) => change)).toEqual(["paused", "resumed"]);
  });

  test.each([400, 401, 404, 302])("is not opened by an endpoint that refuses with %i", async (status) => {
    receiver.answer = answerWith(status);
    start();
    await recordMany(15);
    await eventually("each is attempted", () => receiver.requests.length === 15);
    await time.quiet();
    expect(await endpoint()).toMatchObject({ breaker_open_until: null, failing_since: expect.any(Date) });
  });

  test("honours Retry-After", async () => {
    start();
    const before = time.now().getTime();
    await open(answerWith(429, { "retry-after": "3600" }));
    const { breaker_open_until: until } = await endpoint();
    expect(until?.getTime()).toBeGreaterThanOrEqual(before + 3_600 * second);
    expect(until?.getTime()).toBeLessThan(before + 3_700 * second);
  });

  test("holds nobody else up", async () => {
    start();
    await open(answerWith(500));
    const other = await openReceiver();
    const otherId = await addOrganisation(half.store, other.baseAddress);
    for (let worker = 0; worker < 20; worker += 1) await recordFor(half, otherId)(`worker-${worker}`);
    await eventually("the other is told", () => other.requests.length === 20);
    await other.close();
  });

  test("makes the attempt after a pause again when the process died that was to make it", async () => {
    start();
    const attempted = await open(answerWith(500));
    await delivery.stop();
    await time.advance(31 * second);
    const leaseMs = 2_000;
    const dead = new Leases(half.store, leaseMs, (error) => half.errors.push(error));
    const claim = () => claimRows(half.store, dead, webhooks(time.now), 10);
    const began = performance.now();
    expect(await claim()).toHaveLength(1);
    // Nobody looks again before that one has ended.
    expect(await claim()).toBeUndefined();
    receiver.answer = answerWith(200);
    start();
    await eventually("it is made", () => receiver.requests.length > attempted);
    expect(performance.now() - began).toBeGreaterThanOrEqual(leaseMs);
    await time.until(async () => (await deliveries()).every(({ state }) => state === "acknowledged"));
    expect(receiver.requests).toHaveLength(40 + attempted);
  });
});

// PGlite's data folder is for one process: see store.test.ts.
const shared = stores.filter(({ title }) => title !== "PGlite");

describe.each(shared)("the breaker of an endpoint over several processes on $title", ({ createPlace }) => {
  test("lets exactly one of them make the one attempt after a pause", async () => {
    const place = await createPlace();
    const receiver = await openReceiver(answerWith(500));
    const halves = await Promise.all([1, 2, 3].map(() => openLowerHalf(place)));
    const [first] = halves;
    if (first === undefined) throw new Error("nothing was opened");
    const organisationId = await addOrganisation(first.store, receiver.baseAddress);
    const breaker = { ...defaultBreakerPolicy, firstPauseMs: 500 };
    for (const half of halves) half.startDelivery({ breaker, attemptTimeoutMs: 15_000 });
    for (let worker = 0; worker < 60; worker += 1) await recordFor(first, organisationId)(`worker-${worker}`);
    let under = 0;
    let most = 0;
    let held: (() => void) | undefined;
    const openUntil = async () => {
      const row = await first.store.db.selectFrom("endpoints").select("breaker_open_until as until").executeTakeFirst();
      return row?.until ?? null;
    };
    await eventually("it is open", async () => (await openUntil()) !== null);
    await eventually("nothing is under way", async () => {
      const { rows } = await first.store.execute("select from outbox_leases");
      return rows.length === 0;
    });
    receiver.answer = (request, reply) => {
      under += 1;
      most = Math.max(most, under);
      held = () => {
        under -= 1;
        answerWith(200)(request, reply);
      };
    };
    await eventually("one attempt is made", () => under > 0);
    // Time enough for the others to look many times.
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(most).toBe(1);
    receiver.answer = answerWith(200);
    held?.();
    const waiting = () => first.store.db.selectFrom("deliveries").select("id").where("state", "=", "pending").execute();
    await eventually("all are delivered", async () => (await waiting()).length === 0);
    await Promise.all(halves.map((half) => half.close()));
    expect(halves.flatMap(({ errors }) => errors)).toEqual([]);
    await receiver.close();
    await place.remove();
  });
});
