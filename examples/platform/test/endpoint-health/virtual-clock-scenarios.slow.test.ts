import { useDeliveryFixture, useReceiver } from "../support/use-opened.ts";

const receiver = useReceiver();

import { afterEach, describe, test } from "vitest";
import { fc } from "../../../../scripts/property-seed.ts";
import { storesUnderTest } from "../support/stores/stores.ts";
import { fullScenario, runScenario, steps } from "./endpoint-scenario.ts";

describe.each(await storesUnderTest())("any endpoint on $title", ({ createDatabase }) => {
  const fixture = useDeliveryFixture(createDatabase);

  const clear = () => fixture.reset();
  afterEach(clear);

  test("receives every event in order, and none before its time", () => runScenario(fixture, receiver, fullScenario));

  test("receives every event in order, and none before its time, in any scenario", async () => {
    const property = fc.asyncProperty(steps, (scenario) => runScenario(fixture, receiver, scenario)).afterEach(clear);
    await fc.assert(property, { numRuns: 10, interruptAfterTimeLimit: 20_000, endOnFailure: true });
  });
});
