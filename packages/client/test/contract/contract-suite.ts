import { afterAll, beforeAll, describe, expect } from "vitest";
import { createClientDriver } from "./client-driver.ts";
import type { ContractFixture } from "./fixture.ts";
import { createOpenApiFetchDriver } from "./openapi-fetch-driver.ts";
import { describeOperations } from "./operations-suite.ts";
import { describeMessages } from "./wire-suite.ts";

const drivers = { OffersClient: createClientDriver, "/openapi-fetch": createOpenApiFetchDriver };

/**
 * Tests a service against the contract (spec/openapi.yaml, spec/decisions.yaml): its operations, through each client, and its HTTP
 * messages.
 */
export function describeContract(title: string, openFixture: () => ContractFixture | Promise<ContractFixture>): void {
  describe(`the contract: ${title}`, () => {
    let fixture: ContractFixture | undefined;
    beforeAll(async () => {
      fixture = await openFixture();
    });
    // Undefined if openFixture failed, which Vitest has already reported.
    afterAll(() => fixture?.close());
    const getFixture = () => fixture ?? expect.unreachable();
    for (const [name, createDriver] of Object.entries(drivers))
      describe(`through ${name}`, () => describeOperations(getFixture, () => createDriver(getFixture())));
    describe("on the wire", () => describeMessages(getFixture));
  });
}
