import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Loop } from "../../src/outbox/run-loop.ts";
import { eventually } from "../support/eventually.ts";
import { addOrganisation, type LowerHalf, openLowerHalf } from "../support/lower-half.ts";
import { answerWith, openReceiver, type Receiver } from "../support/receiver.ts";
import { recordDue } from "../support/record-due.ts";
import { type StorePlace, storesUnderTest } from "../support/stores/stores.ts";

describe.each(await storesUnderTest())("a slow endpoint on $title", ({ createPlace }) => {
  let place: StorePlace;
  let half: LowerHalf;
  let slow: Receiver;
  let quick: Receiver;

  beforeEach(async () => {
    place = await createPlace();
    half = await openLowerHalf(place);
    slow = await openReceiver((seen, reply) => void setTimeout(() => answerWith(200)(seen, reply), 2_000));
    quick = await openReceiver();
  });
  afterEach(async () => {
    await half.close();
    await slow.close();
    await quick.close();
    await place.remove();
  });

  /** 800 deliveries to twenty endpoints. @returns how long they take */
  const tellOthers = async (delivery: Loop): Promise<number> => {
    const before = quick.requests.length;
    for (let other = 0; other < 20; other += 1)
      await recordDue(half.store, await addOrganisation(half.store, quick.baseAddress), 40);
    const began = performance.now();
    delivery.wake();
    await eventually("the others are told", () => quick.requests.length >= before + 800);
    return performance.now() - began;
  };

  test("with 5,000 due deliveries does not delay 800 of others beyond three seconds", { timeout: 90_000 }, async () => {
    const delivery = half.startDelivery({ attemptTimeoutMs: 15_000 });
    const aloneMs = await tellOthers(delivery);
    await recordDue(half.store, await addOrganisation(half.store, slow.baseAddress), 5_000);
    await eventually("the slow one is busy", () => slow.requests.length >= 8);
    const besideMs = await tellOthers(delivery);
    // Not of the clock, which a busy machine slows down for both.
    expect(besideMs - aloneMs).toBeLessThan(3_000);
    expect(half.errors).toEqual([]);
  });
});
