import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Loop } from "../../src/outbox/timers.ts";
import { addOrganisation, type DeliveryFixture, openDeliveryFixture } from "../support/delivery-fixture.ts";
import { eventually } from "../support/eventually.ts";
import { openReceiver, type Receiver, respondWith } from "../support/receiver.ts";
import { recordDueEvents } from "../support/record-due.ts";
import { storesUnderTest, type TestDatabase } from "../support/stores/stores.ts";

describe.each(await storesUnderTest())("a slow endpoint on $title", ({ createDatabase }) => {
  let database: TestDatabase;
  let fixture: DeliveryFixture;
  let slowReceiver: Receiver;
  let quickReceiver: Receiver;

  beforeEach(async () => {
    database = await createDatabase();
    fixture = await openDeliveryFixture(database);
    slowReceiver = await openReceiver(
      (request, response) => void setTimeout(() => respondWith(200)(request, response), 2_000),
    );
    quickReceiver = await openReceiver();
  });
  afterEach(async () => {
    await fixture.close();
    await slowReceiver.close();
    await quickReceiver.close();
    await database.remove();
  });

  /** Delivers 800 events to twenty other endpoints. @returns the duration in milliseconds */
  const deliverToOtherEndpoints = async (delivery: Loop): Promise<number> => {
    const requestsBefore = quickReceiver.requests.length;
    for (let endpoint = 0; endpoint < 20; endpoint += 1)
      await recordDueEvents(fixture.store, await addOrganisation(fixture.store, quickReceiver.baseAddress), 40);
    const startedAt = performance.now();
    delivery.wake();
    await eventually("the other events are delivered", () => quickReceiver.requests.length >= requestsBefore + 800);
    return performance.now() - startedAt;
  };

  test("a slow endpoint with 5,000 due deliveries delays 800 deliveries to other endpoints by at most three seconds", {
    timeout: 90_000,
  }, async () => {
    const delivery = fixture.startDelivery({ attemptTimeoutMs: 15_000 });
    const aloneMs = await deliverToOtherEndpoints(delivery);
    await recordDueEvents(fixture.store, await addOrganisation(fixture.store, slowReceiver.baseAddress), 5_000);
    await eventually("the slow endpoint is busy", () => slowReceiver.requests.length >= 8);
    const withSlowMs = await deliverToOtherEndpoints(delivery);
    // Compare the two durations, because a busy machine makes both longer.
    expect(withSlowMs - aloneMs).toBeLessThan(3_000);
    expect(fixture.errors).toEqual([]);
  });
});
