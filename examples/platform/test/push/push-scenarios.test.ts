import { describe, expect, test } from "vitest";
import { fc, pickNumRuns } from "../../../../scripts/property-seed.ts";
import { anyStore } from "../support/stores/stores.ts";
import { useDeliveryFixture } from "../support/use-opened.ts";
import { pushScenarios } from "./push-scenario.ts";
import { runPushScenarios } from "./run-push-scenarios.ts";

const scenarioCount = pickNumRuns(100, 1_000);
const concurrentScenarios = 50;

describe.each(await anyStore())("push scenarios on $title", ({ createDatabase }) => {
  const fixture = useDeliveryFixture(createDatabase);

  test(`in ${scenarioCount} scenarios, no push starts after a newer push, and each device gets the latest push [D-99]`, {
    timeout: 180_000 + scenarioCount * 200,
  }, async () => {
    let pushCount = 0;
    const property = fc.asyncProperty(pushScenarios(concurrentScenarios), async (scenarios) => {
      const { pushCount: count, ...outcome } = await runPushScenarios(fixture, scenarios);
      pushCount += count;
      expect(outcome).toEqual({ overtaken: [], unnotified: [], missing: [] });
      expect(fixture.errors).toEqual([]);
      await fixture.reset();
    });
    await fc.assert(property, { numRuns: Math.ceil(scenarioCount / concurrentScenarios), endOnFailure: true });
    expect(pushCount).toBeGreaterThan(scenarioCount);
  });
});
