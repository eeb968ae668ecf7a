import { afterAll, beforeAll, describe, expect } from "vitest";
import { clientDriver } from "./client-driver.ts";
import type { ContractFixture } from "./fixture.ts";
import { openApiFetchDriver } from "./openapi-fetch-driver.ts";
import { operationsSuite } from "./operations-suite.ts";
import { wireSuite } from "./wire-suite.ts";

const drivers = { OffersClient: clientDriver, "/openapi-fetch": openApiFetchDriver };

/**
 * Tests a service against the contract (spec/openapi.yaml, spec/decisions.yaml): its operations, through each client, and its HTTP
 * messages.
 */
export function contractSuite(title: string, openFixture: () => ContractFixture | Promise<ContractFixture>): void {
  describe(`the contract: ${title}`, () => {
    let fixture: ContractFixture | undefined;
    beforeAll(async () => {
      fixture = await openFixture();
    });
    // Undefined if openFixture failed, which Vitest has already reported.
    afterAll(() => fixture?.close());
    const requireFixture = () => fixture ?? expect.unreachable();
    for (const [name, createDriver] of Object.entries(drivers))
      describe(`through ${name}`, () => operationsSuite(requireFixture, () => createDriver(requireFixture())));
    describe("on the wire", () => wireSuite(requireFixture));
  });
}
