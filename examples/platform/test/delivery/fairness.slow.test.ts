import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Loop } from "../../src/outbox/timers.ts";
import { addOrganisation, type DeliveryFixture, openDeliveryFixture } from "../support/delivery-fixture.ts";
import { eventually } from "../support/eventually.ts";
import { openReceiver, type Receiver, respondWith } from "../support/receiver.ts";
import { recordDue } from "../support/record-due.ts";
import { storesUnderTest, type TestDatabase } from "../support/stores/stores.ts";

describe.each(await storesUnderTest())("a slow endpoint on $title", ({ createDatabase }) => {
  let database: TestDatabase;
  let fixture: DeliveryFixture;
  let slow: Receiver;
  let quick: Receiver;

  beforeEach(async () => {
    database = await createDatabase();
    fixture = await openDeliveryFixture(database);
    slow = await openReceiver((request, response) => void setTimeout(() => respondWith(200)(request, response), 2_000));
    quick = await openReceiver();
  });
  afterEach(async () => {
    await fixture.close();
    await slow.close();
    await quick.close();
    await database.remove();
  });

  /** Delivers 800 events to twenty other endpoints. @returns how long that takes */
  const deliverToOthers = async (delivery: Loop): Promise<number> => {
    const before = quick.requests.length;
    for (let other = 0; other < 20; other += 1)
      await recordDue(fixture.store, await addOrganisation(fixture.store, quick.baseAddress), 40);
    const began = performance.now();
    delivery.wake();
    await eventually("the others are delivered", () => quick.requests.length >= before + 800);
    return performance.now() - began;
  };

  test("with 5,000 due deliveries delays 800 deliveries to others by at most three seconds", {
    timeout: 90_000,
  }, async () => {
    const delivery = fixture.startDelivery({ attemptTimeoutMs: 15_000 });
    const aloneMs = await deliverToOthers(delivery);
    await recordDue(fixture.store, await addOrganisation(fixture.store, slow.baseAddress), 5_000);
    await eventually("the slow one is busy", () => slow.requests.length >= 8);
    const besideMs = await deliverToOthers(delivery);
    // Compare the two times, because a busy machine slows both down.
    expect(besideMs - aloneMs).toBeLessThan(3_000);
    expect(fixture.errors).toEqual([]);
  });
});
