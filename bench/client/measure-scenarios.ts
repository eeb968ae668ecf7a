import { type Comparison, compare } from "../comparison.ts";
import { runInFreshProcess } from "../fresh-process.ts";
import type { SuiteOptions } from "../suite.ts";
import type { ScenariosTask } from "./scenarios.ts";

/**
 * Measures how long the in-memory service and a receiver built with the kit take for a random scenario, including all checks and retries.
 */
export async function measureScenarios({ quick }: SuiteOptions): Promise<Comparison> {
  const samples: number[] = [];
  for (let round = 0; round < (quick ? 2 : 15); round += 1) {
    const task: ScenariosTask = { count: quick ? 20 : 100, seed: round };
    samples.push(await runInFreshProcess<number>(new URL("scenarios.ts", import.meta.url), task));
  }
  const title = "A scenario of 3 to 20 steps through deliverTo, the median of 100";
  return compare({ title, unit: "ms", better: "lower" }, new Map([["createTestService", samples]]));
}
