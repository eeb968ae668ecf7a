import { describe } from "vitest";
import { describeContract } from "../../../../packages/client/test/contract/contract-suite.ts";
import { platformFixture } from "./platform-fixture.ts";

/** The dialects to run with. The tests in test/contract check the rules of both. */
const dialects = process.env.TEST_MATRIX === "full" ? (["reference", "live"] as const) : (["reference"] as const);

describe("the contract on a platform process", () => {
  for (const dialect of dialects)
    describeContract(`the platform's process, ${dialect}`, () => platformFixture(dialect));
});
