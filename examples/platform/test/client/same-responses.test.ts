import { afterAll, beforeAll, expect, test } from "vitest";
import type { ContractFixture } from "../../../../packages/client/test/contract/fixture.ts";
import { createInMemoryFixture } from "../../../../packages/client/test/contract/in-memory.ts";
import { fc, pickNumRuns } from "../../../../scripts/property-seed.ts";
import { platformFixture } from "./platform-fixture.ts";
import { type CallStep, callScenario, callSteps, ServiceUnderTest } from "./same-responses-commands.ts";

let platform: ContractFixture;
const inMemory = createInMemoryFixture("reference");
beforeAll(async () => {
  platform = await platformFixture("reference");
});
afterAll(() => platform.close());

test("the in-memory service and the platform return the same responses to any sequence of calls [D-69]", async () => {
  const codes = new Set<string>();
  const property = fc.asyncProperty(callSteps, async (sequence: CallStep[]) => {
    const keySuffix = crypto.randomUUID();
    const platformSide = new ServiceUnderTest(platform, keySuffix);
    const inMemorySide = new ServiceUnderTest(inMemory, keySuffix);
    for (const step of sequence) {
      const [expected, actual] = await Promise.all([platformSide.perform(step), inMemorySide.perform(step)]);
      expect(actual).toEqual(expected);
      codes.add(typeof expected === "string" ? expected : (Object(expected.body).code ?? `${expected.status}`));
    }
    const expected = await inMemorySide.notifications();
    expect(await platformSide.notifications(expected.map(({ length }) => length))).toEqual(expected);
  });
  await fc.assert(property, { examples: [[callScenario]], numRuns: pickNumRuns(4, 25) });
  // Every outcome must have occurred.
  expect([...codes]).toEqual(
    expect.arrayContaining([
      "201",
      "200",
      "204",
      "done",
      "invalid_api_key",
      "unsupported_api_version",
      "invalid_request",
      "offer_not_found",
      "worker_not_applied",
      "offer_completed",
      "offer_withdrawn",
      "idempotency_key_reused",
    ]),
  );
});
