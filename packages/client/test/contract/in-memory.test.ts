import { describe } from "vitest";
import { inMemoryFixture } from "./in-memory.ts";
import { contractSuite } from "./suite.ts";

describe("the contract in memory", () => {
  for (const dialect of ["reference", "live"] as const)
    contractSuite(`the service in memory, ${dialect}`, () => inMemoryFixture(dialect));
});
