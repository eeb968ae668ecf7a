// Runs in a separate process, and measures delivery scenarios with the in-memory service.
import { runStory, stories } from "../../examples/platform/test/closed-loop/story.ts";
import { createInMemorySide } from "../../examples/platform/test/closed-loop/story-in-memory.ts";
import { fc } from "../../scripts/property-seed.ts";
import { readTask } from "../fresh-process.ts";
import { median } from "../median.ts";

export interface ScenariosTask {
  readonly count: number;
  readonly seed: number;
}

const { count, seed } = readTask<ScenariosTask>();
const durationsMs: number[] = [];
for (const steps of fc.sample(stories, { numRuns: count, seed })) {
  const startedAt = performance.now();
  await runStory(await createInMemorySide(), steps);
  durationsMs.push(performance.now() - startedAt);
}
process.send?.(median(durationsMs));
