import { useDeliveryFixture, useReceiver } from "../support/use-opened.ts";

const receiver = useReceiver();

import { afterEach, describe, test } from "vitest";
import { fc } from "../../../../scripts/property-seed.ts";
import { storesUnderTest } from "../support/stores/stores.ts";
import { fullScenario, runScenario, steps } from "./endpoint-scenario.ts";

describe.each(await storesUnderTest())("any endpoint behaviour on $title", ({ createDatabase }) => {
  const fixture = useDeliveryFixture(createDatabase);

  const resetFixture = () => fixture.reset();
  afterEach(resetFixture);

  test("an endpoint receives every event in order, and no event early", () =>
    runScenario(fixture, receiver, fullScenario));

  test("an endpoint receives every event in order, and no event early, in any scenario", async () => {
    const property = fc
      .asyncProperty(steps, (scenario) => runScenario(fixture, receiver, scenario))
      .afterEach(resetFixture);
    await fc.assert(property, { numRuns: 10, interruptAfterTimeLimit: 20_000, endOnFailure: true });
  });
});
