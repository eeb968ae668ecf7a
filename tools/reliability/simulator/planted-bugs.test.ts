import { expect, test } from "vitest";
import { type PlantedBugName, plantedBugs } from "./planted-bugs.ts";
import { runStories } from "./run-stories.ts";

/** Each took at most 41. */
const most = 150;

test.each(Object.keys(plantedBugs) as PlantedBugName[])(
  "without the guard %s, a story breaks the contract",
  { timeout: 600_000 },
  async (name) => {
    const { ran, failed } = await runStories(1, most, name);
    console.log(`${name}: ${ran} stories; ${failed?.violations[0]}`);
    expect(failed).toBeDefined();
  },
);
