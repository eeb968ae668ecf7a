import { afterAll, beforeAll, expect, test } from "vitest";
import { fc } from "../../../../scripts/property-seed.ts";
import { useDeliveryFixture } from "../support/use-opened.ts";
import { countByInstant, isUnambiguous, latenessMs, readRequests } from "./seen.ts";
import { runStory, type StoryStep, stories, wholeStory } from "./story.ts";
import { createInMemorySide } from "./story-in-memory.ts";
import { openStoryPlatform, type StoryPlatform } from "./story-on-platform.ts";

/** Set CLOSED_LOOP_STORIES for a longer run. */
const numRuns = Number(process.env.CLOSED_LOOP_STORIES ?? 6);

/** How late a request may be. On the platform, a story takes real time, especially on a busy machine. */
const maxLateMs = 20_000;

const fixture = useDeliveryFixture();
let platform: StoryPlatform;

beforeAll(async () => {
  platform = await openStoryPlatform(fixture);
});
afterAll(async () => {
  await platform.close();
});

/** Runs a story on both sides, and asserts that they behave the same. @returns every status and outcome that occurred */
async function expectSameBehaviour(steps: readonly StoryStep[]): Promise<unknown[]> {
  const inMemory = await createInMemorySide();
  const outcomes = await runStory(inMemory, steps);
  // Skip a story if its steps and attempts may happen in a different order on the platform.
  fc.pre(isUnambiguous(inMemory.moments(), inMemory.waitedUntil));
  const onPlatform = await platform.startStory();
  expect(await runStory(onPlatform, steps)).toEqual(outcomes);
  const deliveries = await inMemory.deliveries();
  expect(await onPlatform.deliveries()).toEqual(deliveries);
  const counts = [...countByInstant(inMemory.receiver).values()];
  expect(await readRequests(onPlatform, counts)).toEqual(await readRequests(inMemory, counts));
  const lateness = latenessMs(onPlatform, inMemory);
  expect(Math.min(...lateness)).toBeGreaterThan(-100);
  expect(Math.max(...lateness)).toBeLessThan(maxLateMs);
  expect(fixture.errors).toEqual([]);
  return [
    ...outcomes,
    ...deliveries.flatMap(({ state, attempts }) => [state, ...attempts.map(({ status }) => status)]),
  ];
}

test("a receiver gets the same requests from the in-memory service as from the platform [D-69]", {
  timeout: 7_200_000,
}, async () => {
  const occurred = new Set(await expectSameBehaviour(wholeStory));
  // Every status and outcome must have occurred.
  expect([...occurred]).toEqual(
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
  const property = fc.asyncProperty(stories, async (steps) => void (await expectSameBehaviour(steps)));
  await fc.assert(property, { numRuns, endOnFailure: true });
});
