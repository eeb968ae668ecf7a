import { describe } from "vitest";
import { describeContract } from "./contract-suite.ts";
import { createInMemoryFixture } from "./in-memory.ts";

describe("the contract in memory", () => {
  for (const dialect of ["reference", "live"] as const)
    describeContract(`the in-memory service, ${dialect}`, () => createInMemoryFixture(dialect));
});
