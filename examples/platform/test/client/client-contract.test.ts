import { describe } from "vitest";
import { contractSuite } from "../../../../packages/client/test/contract/suite.ts";
import { platformFixture } from "./platform-fixture.ts";

describe("the contract in a process", () => {
  for (const dialect of ["reference", "live"] as const)
    contractSuite(`the platform's process, ${dialect}`, () => platformFixture(dialect));
});
