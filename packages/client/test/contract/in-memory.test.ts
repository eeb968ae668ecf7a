import { describe } from "vitest";
import { contractSuite } from "./contract-suite.ts";
import { inMemoryFixture } from "./in-memory.ts";

describe("the contract in memory", () => {
  for (const dialect of ["reference", "live"] as const)
    contractSuite(`the service in memory, ${dialect}`, () => inMemoryFixture(dialect));
});
