import { afterAll, beforeAll, expect, test } from "vitest";
import { fc } from "../../../../scripts/property-seed.ts";
import { useDeliveryFixture } from "../support/use-opened.ts";
import { instantsOf, isUnambiguous, latenessMs, seenOf } from "./seen.ts";
import { playStory, type StoryStep, stories, wholeStory } from "./story.ts";
import { inMemorySide } from "./story-in-memory.ts";
import { openStoryPlatform, type StoryPlatform } from "./story-on-platform.ts";

/** Set CLOSED_LOOP_STORIES for a longer run. */
const numRuns = Number(process.env.CLOSED_LOOP_STORIES ?? 6);

/** How late a request may be, because a story takes real time on the platform, and longer on a busy machine. */
const maxLateMs = 20_000;

const fixture = useDeliveryFixture();
let platform: StoryPlatform;

beforeAll(async () => {
  platform = await openStoryPlatform(fixture);
});
afterAll(async () => {
  await platform.close();
});

/** Plays a story on both sides and compares them. @returns every status and outcome that occurred */
async function compare(steps: readonly StoryStep[]): Promise<unknown[]> {
  const inMemory = await inMemorySide();
  const outcomes = await playStory(inMemory, steps);
  fc.pre(isUnambiguous(inMemory.moments(), inMemory.waitedUntil));
  const onPlatform = await platform.begin();
  expect(await playStory(onPlatform, steps)).toEqual(outcomes);
  const deliveries = await inMemory.deliveries();
  expect(await onPlatform.deliveries()).toEqual(deliveries);
  const sizes = [...instantsOf(inMemory.receiver).values()];
  expect(await seenOf(onPlatform, sizes)).toEqual(await seenOf(inMemory, sizes));
  const lateness = latenessMs(onPlatform, inMemory);
  expect(Math.min(...lateness)).toBeGreaterThan(-100);
  expect(Math.max(...lateness)).toBeLessThan(maxLateMs);
  expect(fixture.errors).toEqual([]);
  return [
    ...outcomes,
    ...deliveries.flatMap(({ state, attempts }) => [state, ...attempts.map(({ status }) => status)]),
  ];
}

test("sends a receiver the same requests from the service in memory as from the platform [D-69]", {
  timeout: 7_200_000,
}, async () => {
  const seen = new Set(await compare(wholeStory));
  // Every status and outcome must have occurred.
  expect([...seen]).toEqual(
    expect.arrayContaining([
      "done",
      "offer_withdrawn",
      "endpoint_check_failed",
      "delivery_superseded",
      "unexpected_status",
      "acknowledged",
      "failed",
      200,
      404,
      410,
      422,
      500,
      503,
      null,
    ]),
  );
  const property = fc.asyncProperty(stories, async (steps) => void (await compare(steps)));
  await fc.assert(property, { numRuns, endOnFailure: true });
});
