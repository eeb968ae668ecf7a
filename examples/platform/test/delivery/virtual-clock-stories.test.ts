import { afterAll, afterEach, beforeAll, describe, test } from "vitest";
import { fc } from "../../../../tools/property-seed.ts";
import { type LowerHalf, openLowerHalf } from "../support/lower-half.ts";
import { openReceiver, type Receiver } from "../support/receiver.ts";
import { type StorePlace, storesUnderTest } from "../support/stores/stores.ts";
import { playStory, steps, wholeStory } from "./endpoint-story.ts";

describe.each(await storesUnderTest())("whatever an endpoint answers on $title", ({ createPlace }) => {
  let place: StorePlace;
  let half: LowerHalf;
  let receiver: Receiver;

  beforeAll(async () => {
    place = await createPlace();
    half = await openLowerHalf(place);
    receiver = await openReceiver();
  });
  afterAll(async () => {
    await half.close();
    await receiver.close();
    await place.remove();
  });
  const clear = () => half.reset();
  afterEach(clear);

  test("no event is lost, the order is kept, and nothing is attempted before its time", () =>
    playStory(half, receiver, wholeStory));

  test("through any story, no event is lost, the order is kept, and nothing is attempted before its time", async () => {
    const property = fc.asyncProperty(steps, (story) => playStory(half, receiver, story)).afterEach(clear);
    await fc.assert(property, { numRuns: 10, interruptAfterTimeLimit: 20_000, endOnFailure: true });
  });
});
