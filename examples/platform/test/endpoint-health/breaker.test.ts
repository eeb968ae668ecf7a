import { defaultBreakerPolicy } from "@offers/contract/circuit-breaker";
import { defaultRetrySchedule } from "@offers/contract/retry-schedule";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { claimRows } from "../../src/outbox/claim.ts";
import { Leases } from "../../src/outbox/leases.ts";
import type { Loop } from "../../src/outbox/timers.ts";
import type { EndpointRecord } from "../../src/webhooks/endpoint-health.ts";
import { recordEvent } from "../../src/webhooks/record-event.ts";
import { webhookQueue } from "../../src/webhooks/start-delivery.ts";
import { addOrganisation, type DeliveryFixture, openDeliveryFixture } from "../support/delivery-fixture.ts";
import { eventually } from "../support/eventually.ts";
import { hangUp, openReceiver, type Receiver, type Respond, respondWith } from "../support/receiver.ts";
import { anyStore } from "../support/stores/stores.ts";
import { useDeliveryFixture } from "../support/use-opened.ts";
import { type VirtualTime, virtualTime } from "../support/virtual-time.ts";

const second = 1_000;
const stores = await anyStore();

const recordFor = (fixture: DeliveryFixture, organisationId: string) => (workerId: string) =>
  fixture.store.transaction(async (trx) => {
    const data = { offerId: "offer-1", workerId, response: "accepted" } as const;
    const recorded = await recordEvent(trx, organisationId, { type: "workerOfferResponse", data });
    return recorded.deliveryId ?? "";
  });

describe.each(stores)("the breaker of an endpoint on $title", ({ createDatabase }) => {
  const fixture = useDeliveryFixture(createDatabase);
  let time: VirtualTime;
  let receiver: Receiver;
  let organisationId: string;
  let delivery: Loop;
  let changes: EndpointRecord[];

  beforeEach(async () => {
    receiver = await openReceiver();
    organisationId = await addOrganisation(fixture.store, receiver.baseAddress);
    time = virtualTime(fixture);
    changes = [];
  });
  afterEach(async () => {
    await delivery.stop();
    await receiver.close();
    expect(fixture.errors).toEqual([]);
    await fixture.reset();
  });

  const start = () => {
    delivery = fixture.startDelivery({
      now: time.now,
      retrySchedule: defaultRetrySchedule,
      breaker: defaultBreakerPolicy,
      random: () => 0.5,
      onEndpoint: (record) => void changes.push(record),
    });
  };
  const record = (workerId: string) => recordFor(fixture, organisationId)(workerId);
  const recordManyResponses = async (count: number): Promise<string[]> => {
    const ids: string[] = [];
    for (let worker = 0; worker < count; worker += 1) ids.push(await record(`worker-${worker}`));
    return ids;
  };
  const endpoint = () =>
    fixture.store.db
      .selectFrom("endpoints")
      .selectAll()
      .where("organisation_id", "=", organisationId)
      .executeTakeFirstOrThrow();
  const deliveries = () =>
    fixture.store.db.selectFrom("deliveries").selectAll().where("organisation_id", "=", organisationId).execute();
  const lastAttemptAt = async (): Promise<number> => {
    const { at } = await fixture.store.db
      .selectFrom("attempts")
      .select(({ fn }) => fn.max("started_at").as("at"))
      .executeTakeFirstOrThrow();
    return at.getTime();
  };
  /** Fails attempts until the breaker opens. @returns how many, at most 18, because eight may be in flight when it opens */
  const open = async (respond: Respond): Promise<number> => {
    receiver.respond = respond;
    await recordManyResponses(40);
    await time.untilIdle();
    expect(receiver.requests.length).toBeGreaterThanOrEqual(10);
    expect(receiver.requests.length).toBeLessThan(20);
    return receiver.requests.length;
  };

  test("opens after ten consecutive failures: nothing is attempted, and other deliveries use up no attempt [D-72]", async () => {
    start();
    const attempted = await open(respondWith(500));
    expect(await endpoint()).toMatchObject({ breaker_open_count: 1, breaker_open_until: expect.any(Date) });
    await time.advance(20 * second);
    await time.untilIdle();
    expect(receiver.requests).toHaveLength(attempted);
    expect((await deliveries()).filter(({ attempts }) => attempts === 0)).toHaveLength(40 - attempted);
    expect(changes).toEqual([
      { organisationId, change: "paused", consecutiveFailures: expect.any(Number), until: expect.any(Date) },
    ]);
  });

  test("allows one attempt after each pause, and the pauses grow [D-72]", async () => {
    start();
    let failedAfter = time.now().getTime();
    let attempted = await open(hangUp);
    for (const [pause, seconds] of [30, 60, 120, 240, 480, 600, 600].entries()) {
      const { breaker_open_until: until } = await endpoint();
      expect(until?.getTime()).toBeGreaterThanOrEqual(failedAfter + seconds * second);
      await time.advanceUntil(() => receiver.requests.length > attempted);
      attempted += 1;
      expect(receiver.requests).toHaveLength(attempted);
      failedAfter = await lastAttemptAt();
      expect(failedAfter).toBeGreaterThanOrEqual(until?.getTime() ?? Number.NaN);
      expect(await endpoint()).toMatchObject({ breaker_open_count: pause + 2 });
    }
  });

  test("closes after one acknowledgement, which makes every delivery due [D-72]", async () => {
    start();
    await open(respondWith(503));
    receiver.respond = respondWith(200);
    await time.advanceUntil(async () => (await deliveries()).every(({ state }) => state === "acknowledged"));
    expect(await endpoint()).toMatchObject({
      consecutive_failures: 0,
      breaker_open_count: 0,
      breaker_open_until: null,
    });
    expect(changes.map(({ change }) => change)).toEqual(["paused", "resumed"]);
  });

  test.each([400, 401, 404, 302])("does not open after responses with %i", async (status) => {
    receiver.respond = respondWith(status);
    start();
    await recordManyResponses(15);
    await eventually("each is attempted", () => receiver.requests.length === 15);
    await time.untilIdle();
    expect(await endpoint()).toMatchObject({ breaker_open_until: null, failing_since: expect.any(Date) });
  });

  test("honours Retry-After", async () => {
    start();
    const before = time.now().getTime();
    await open(respondWith(429, { "retry-after": "3600" }));
    const { breaker_open_until: until } = await endpoint();
    expect(until?.getTime()).toBeGreaterThanOrEqual(before + 3_600 * second);
    expect(until?.getTime()).toBeLessThan(before + 3_700 * second);
  });

  test("delays no other endpoint", async () => {
    start();
    await open(respondWith(500));
    const other = await openReceiver();
    const otherId = await addOrganisation(fixture.store, other.baseAddress);
    for (let worker = 0; worker < 20; worker += 1) await recordFor(fixture, otherId)(`worker-${worker}`);
    await eventually("the other endpoint gets everything", () => other.requests.length === 20);
    await other.close();
  });

  test("repeats the attempt after a pause when the process that was to make it died", async () => {
    start();
    const attempted = await open(respondWith(500));
    await delivery.stop();
    // The pause is 30 s by the platform's clock, but the database's clock wakes the lane, which may be later on a busy machine.
    await time.advance(60 * second);
    const leaseMs = 2_000;
    const dead = new Leases(fixture.store, leaseMs, (error) => fixture.errors.push(error));
    const claim = () => claimRows(fixture.store, dead, webhookQueue(time.now), 10);
    const began = performance.now();
    expect(await claim()).toHaveLength(1);
    // No attempt is made until the lease has expired.
    expect(await claim()).toBeUndefined();
    receiver.respond = respondWith(200);
    start();
    await eventually("it is made", () => receiver.requests.length > attempted);
    expect(performance.now() - began).toBeGreaterThanOrEqual(leaseMs);
    await time.advanceUntil(async () => (await deliveries()).every(({ state }) => state === "acknowledged"));
    expect(receiver.requests).toHaveLength(40 + attempted);
  });
});

// Only one process can use PGlite's data folder: see store.test.ts.
const shared = stores.filter(({ title }) => title !== "PGlite");

describe.each(shared)("the breaker of an endpoint with several processes on $title", ({ createDatabase }) => {
  test("lets exactly one process make the attempt after a pause [D-72]", async () => {
    const database = await createDatabase();
    const receiver = await openReceiver(respondWith(500));
    const fixtures = await Promise.all([1, 2, 3].map(() => openDeliveryFixture(database)));
    const [first] = fixtures;
    if (first === undefined) throw new Error("nothing was opened");
    const organisationId = await addOrganisation(first.store, receiver.baseAddress);
    const breaker = { ...defaultBreakerPolicy, firstPauseMs: 500 };
    for (const fixture of fixtures) fixture.startDelivery({ breaker, attemptTimeoutMs: 15_000 });
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
    receiver.respond = (request, response) => {
      under += 1;
      most = Math.max(most, under);
      held = () => {
        under -= 1;
        respondWith(200)(request, response);
      };
    };
    await eventually("one attempt is made", () => under > 0);
    // Wait long enough for the others to poll for work many times.
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(most).toBe(1);
    receiver.respond = respondWith(200);
    held?.();
    const waiting = () => first.store.db.selectFrom("deliveries").select("id").where("state", "=", "pending").execute();
    await eventually("all are delivered", async () => (await waiting()).length === 0);
    await Promise.all(fixtures.map((fixture) => fixture.close()));
    expect(fixtures.flatMap(({ errors }) => errors)).toEqual([]);
    await receiver.close();
    await database.remove();
  });
});
