import { defaultBreakerPolicy } from "@offers/contract/circuit-breaker";
import { defaultRetrySchedule } from "@offers/contract/retry-schedule";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { claimRows } from "../../src/outbox/claim.ts";
import { Leases } from "../../src/outbox/leases.ts";
import type { Loop } from "../../src/outbox/timers.ts";
import type { EndpointRecord } from "../../src/webhooks/endpoint-health.ts";
import { recordEvent } from "../../src/webhooks/record-event.ts";
import { createWebhookQueue } from "../../src/webhooks/start-delivery.ts";
import { addOrganisation, type DeliveryFixture, openDeliveryFixture } from "../support/delivery-fixture.ts";
import { eventually } from "../support/eventually.ts";
import { hangUp, openReceiver, type Receiver, type Respond, respondWith } from "../support/receiver.ts";
import { anyStore } from "../support/stores/stores.ts";
import { useDeliveryFixture } from "../support/use-opened.ts";
import { createVirtualTime, type VirtualTime } from "../support/virtual-time.ts";

const secondMs = 1_000;
const stores = await anyStore();

const recordResponse = (fixture: DeliveryFixture, organisationId: string, workerId: string) =>
  fixture.store.transaction(async (trx) => {
    const data = { offerId: "offer-1", workerId, response: "accepted" } as const;
    const { deliveryId = "" } = await recordEvent(trx, organisationId, { type: "workerOfferResponse", data });
    return deliveryId;
  });

describe.each(stores)("an endpoint's breaker on $title", ({ createDatabase }) => {
  const fixture = useDeliveryFixture(createDatabase);
  let time: VirtualTime;
  let receiver: Receiver;
  let organisationId: string;
  let delivery: Loop;
  let changes: EndpointRecord[];

  beforeEach(async () => {
    receiver = await openReceiver();
    organisationId = await addOrganisation(fixture.store, receiver.baseAddress);
    time = createVirtualTime(fixture);
    changes = [];
  });
  afterEach(async () => {
    await delivery.stop();
    await receiver.close();
    expect(fixture.errors).toEqual([]);
    await fixture.reset();
  });

  const startDelivery = () => {
    delivery = fixture.startDelivery({
      now: time.now,
      retrySchedule: defaultRetrySchedule,
      breaker: defaultBreakerPolicy,
      random: () => 0.5,
      onEndpoint: (record) => void changes.push(record),
    });
  };

  const recordManyResponses = async (count: number): Promise<string[]> => {
    const ids: string[] = [];
    for (let worker = 0; worker < count; worker += 1)
      ids.push(await recordResponse(fixture, organisationId, `worker-${worker}`));
    return ids;
  };
  const readEndpoint = () =>
    fixture.store.db
      .selectFrom("endpoints")
      .selectAll()
      .where("organisation_id", "=", organisationId)
      .executeTakeFirstOrThrow();
  const readDeliveries = () =>
    fixture.store.db.selectFrom("deliveries").selectAll().where("organisation_id", "=", organisationId).execute();
  const readLastAttemptAt = async (): Promise<number> => {
    const { at } = await fixture.store.db
      .selectFrom("attempts")
      .select(({ fn }) => fn.max("started_at").as("at"))
      .executeTakeFirstOrThrow();
    return at.getTime();
  };
  /** Fails attempts until the breaker opens. @returns the number of attempts, which is at least 10 and less than 20 */
  const openBreaker = async (respond: Respond): Promise<number> => {
    receiver.respond = respond;
    await recordManyResponses(40);
    await time.waitUntilIdle();
    expect(receiver.requests.length).toBeGreaterThanOrEqual(10);
    // Up to eight more attempts may be in flight when the breaker opens.
    expect(receiver.requests.length).toBeLessThan(20);
    return receiver.requests.length;
  };

  test("the breaker opens after ten consecutive failures, and then no delivery is attempted or uses up an attempt [D-72]", async () => {
    startDelivery();
    const attempted = await openBreaker(respondWith(500));
    expect(await readEndpoint()).toMatchObject({ breaker_open_count: 1, breaker_open_until: expect.any(Date) });
    await time.advance(20 * secondMs);
    await time.waitUntilIdle();
    expect(receiver.requests).toHaveLength(attempted);
    expect((await readDeliveries()).filter(({ attempts }) => attempts === 0)).toHaveLength(40 - attempted);
    expect(changes).toEqual([
      { organisationId, change: "paused", consecutiveFailures: expect.any(Number), until: expect.any(Date) },
    ]);
  });

  test("the breaker allows one attempt after each pause, and the pauses grow [D-72]", async () => {
    startDelivery();
    let failedAfter = time.now().getTime();
    let attempted = await openBreaker(hangUp);
    for (const [index, seconds] of [30, 60, 120, 240, 480, 600, 600].entries()) {
      const { breaker_open_until: until } = await readEndpoint();
      expect(until?.getTime()).toBeGreaterThanOrEqual(failedAfter + seconds * secondMs);
      await time.advanceUntil(() => receiver.requests.length > attempted);
      attempted += 1;
      expect(receiver.requests).toHaveLength(attempted);
      failedAfter = await readLastAttemptAt();
      expect(failedAfter).toBeGreaterThanOrEqual(until?.getTime() ?? Number.NaN);
      expect(await readEndpoint()).toMatchObject({ breaker_open_count: index + 2 });
    }
  });

  test("one acknowledgement closes the breaker and makes every delivery due [D-72]", async () => {
    startDelivery();
    await openBreaker(respondWith(503));
    receiver.respond = respondWith(200);
    await time.advanceUntil(async () => (await readDeliveries()).every(({ state }) => state === "acknowledged"));
    expect(await readEndpoint()).toMatchObject({
      consecutive_failures: 0,
      breaker_open_count: 0,
      breaker_open_until: null,
    });
    expect(changes.map(({ change }) => change)).toEqual(["paused", "resumed"]);
  });

  test.each([400, 401, 404, 302])("the breaker does not open after responses with %i", async (status) => {
    receiver.respond = respondWith(status);
    startDelivery();
    await recordManyResponses(15);
    await eventually("each delivery is attempted", () => receiver.requests.length === 15);
    await time.waitUntilIdle();
    expect(await readEndpoint()).toMatchObject({ breaker_open_until: null, failing_since: expect.any(Date) });
  });

  test("the breaker's pause honours Retry-After", async () => {
    startDelivery();
    const startedAt = time.now().getTime();
    await openBreaker(respondWith(429, { "retry-after": "3600" }));
    const { breaker_open_until: until } = await readEndpoint();
    expect(until?.getTime()).toBeGreaterThanOrEqual(startedAt + 3_600 * secondMs);
    expect(until?.getTime()).toBeLessThan(startedAt + 3_700 * secondMs);
  });

  test("an open breaker does not delay other endpoints", async () => {
    startDelivery();
    await openBreaker(respondWith(500));
    const otherReceiver = await openReceiver();
    const otherId = await addOrganisation(fixture.store, otherReceiver.baseAddress);
    for (let worker = 0; worker < 20; worker += 1) await recordResponse(fixture, otherId, `worker-${worker}`);
    await eventually("the other endpoint gets everything", () => otherReceiver.requests.length === 20);
    await otherReceiver.close();
  });

  test("a different process makes the attempt after a pause if the process that claimed it has died", async () => {
    startDelivery();
    const attempted = await openBreaker(respondWith(500));
    await delivery.stop();
    // The pause is 30 s by the platform's clock, but the database clock wakes the lane, which may be later on a busy machine.
    await time.advance(60 * secondMs);
    const leaseMs = 2_000;
    const deadLeases = new Leases(fixture.store, leaseMs, (error) => fixture.errors.push(error));
    const claim = () => claimRows(fixture.store, deadLeases, createWebhookQueue(time.now), 10);
    const startedAt = performance.now();
    expect(await claim()).toHaveLength(1);
    // The delivery cannot be claimed again until the lease has expired.
    expect(await claim()).toBeUndefined();
    receiver.respond = respondWith(200);
    startDelivery();
    await eventually("the attempt is made", () => receiver.requests.length > attempted);
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(leaseMs);
    await time.advanceUntil(async () => (await readDeliveries()).every(({ state }) => state === "acknowledged"));
    expect(receiver.requests).toHaveLength(40 + attempted);
  });
});

// Only one process can use PGlite's data folder (see store.test.ts).
const sharedStores = stores.filter(({ title }) => title !== "PGlite");

describe.each(sharedStores)("an endpoint's breaker with several processes on $title", ({ createDatabase }) => {
  test("exactly one process makes the attempt after a breaker's pause [D-72]", async () => {
    const database = await createDatabase();
    const receiver = await openReceiver(respondWith(500));
    const fixtures = await Promise.all([1, 2, 3].map(() => openDeliveryFixture(database)));
    const [first] = fixtures;
    if (first === undefined) throw new Error("No fixture was opened.");
    const organisationId = await addOrganisation(first.store, receiver.baseAddress);
    const breaker = { ...defaultBreakerPolicy, firstPauseMs: 500 };
    for (const fixture of fixtures) fixture.startDelivery({ breaker, attemptTimeoutMs: 15_000 });
    for (let worker = 0; worker < 60; worker += 1) await recordResponse(first, organisationId, `worker-${worker}`);
    let inFlight = 0;
    let maxInFlight = 0;
    let respondLater: (() => void) | undefined;
    const readOpenUntil = async () => {
      const row = await first.store.db.selectFrom("endpoints").select("breaker_open_until as until").executeTakeFirst();
      return row?.until ?? null;
    };
    await eventually("the breaker is open", async () => (await readOpenUntil()) !== null);
    await eventually("no attempt is in flight", async () => {
      const { rows } = await first.store.execute("select from outbox_leases");
      return rows.length === 0;
    });
    receiver.respond = (request, response) => {
      inFlight += 1;
      maxInFlight = Math.max(maxInFlight, inFlight);
      respondLater = () => {
        inFlight -= 1;
        respondWith(200)(request, response);
      };
    };
    await eventually("one attempt is made", () => inFlight > 0);
    // Wait long enough for the other processes to poll for work many times.
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(maxInFlight).toBe(1);
    receiver.respond = respondWith(200);
    respondLater?.();
    const readPending = () =>
      first.store.db.selectFrom("deliveries").select("id").where("state", "=", "pending").execute();
    await eventually("all events are delivered", async () => (await readPending()).length === 0);
    await Promise.all(fixtures.map((fixture) => fixture.close()));
    expect(fixtures.flatMap(({ errors }) => errors)).toEqual([]);
    await receiver.close();
    await database.remove();
  });
});
