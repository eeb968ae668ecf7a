import { afterAll, beforeAll, expect, test } from "vitest";
import type { ContractFixture } from "../../../../packages/client/test/contract/fixture.ts";
import { inMemoryFixture } from "../../../../packages/client/test/contract/in-memory.ts";
import { fc } from "../../../../tools/property-seed.ts";
import { platformStage } from "./contract-platform-stage.ts";
import { type Deed, deeds, Side, story } from "./same-responses-commands.ts";

let platform: ContractFixture;
const inMemory = inMemoryFixture("reference");
beforeAll(async () => {
  platform = await platformStage("reference");
});
afterAll(() => platform.close());

test("any sequence of calls gets the same responses from the service in memory and from the platform", async () => {
  const codes = new Set<string>();
  const property = fc.asyncProperty(deeds, async (sequence: Deed[]) => {
    const run = crypto.randomUUID();
    const [real, ours] = [new Side(platform, run), new Side(inMemory, run)];
    for (const deed of sequence) {
      const [expected, actual] = await Promise.all([real.perform(deed), ours.perform(deed)]);
      expect(actual).toEqual(expected);
      codes.add(typeof expected === "string" ? expected : (Object(expected.body).code ?? `${expected.status}`));
    }
    const told = await ours.told();
    expect(await real.told(told.map(({ length }) => length))).toEqual(told);
  });
  await fc.assert(property, { examples: [[story]], numRuns: 25 });
  // It went everywhere.
  expect([...codes]).toEqual(
    expect.arrayContaining([
      ...["201", "200", "204", "done", "invalid_api_key", "unsupported_api_version", "invalid_request"],
      ...["offer_not_found", "worker_not_applied", "offer_completed", "offer_withdrawn", "idempotency_key_reused"],
    ]),
  );
});
