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
    // Undefined if it could not be opened; that error matters more.
    afterAll(() => fixture?.close());
    const fixtureOf = () => fixture ?? expect.unreachable();
    for (const [name, driverOf] of Object.entries(drivers))
      describe(`through ${name}`, () => operationsSuite(fixtureOf, () => driverOf(fixtureOf())));
    describe("on the wire", () => wireSuite(fixtureOf));
  });
}
