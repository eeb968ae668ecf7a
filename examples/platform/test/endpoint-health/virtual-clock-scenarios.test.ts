import { afterAll, afterEach, beforeAll, describe, test } from "vitest";
import { fc } from "../../../../tools/property-seed.ts";
import { type DeliveryFixture, openDeliveryFixture } from "../support/delivery-fixture.ts";
import { openReceiver, type Receiver } from "../support/receiver.ts";
import { storesUnderTest, type TestDatabase } from "../support/stores/stores.ts";
import { fullScenario, runScenario, steps } from "./endpoint-scenario.ts";

describe.each(await storesUnderTest())("whatever an endpoint responds on $title", ({ createDatabase }) => {
  let database: TestDatabase;
  let fixture: DeliveryFixture;
  let receiver: Receiver;

  beforeAll(async () => {
    database = await createDatabase();
    fixture = await openDeliveryFixture(database);
    receiver = await openReceiver();
  });
  afterAll(async () => {
    await fixture.close();
    await receiver.close();
    await database.remove();
  });
  const clear = () => fixture.reset();
  afterEach(clear);

  test("no event is lost, the order is kept, and nothing is attempted before its time", () =>
    runScenario(fixture, receiver, fullScenario));

  test("in any scenario, no event is lost, the order is kept, and nothing is attempted before its time", async () => {
    const property = fc.asyncProperty(steps, (scenario) => runScenario(fixture, receiver, scenario)).afterEach(clear);
    await fc.assert(property, { numRuns: 10, interruptAfterTimeLimit: 20_000, endOnFailure: true });
  });
});
