import { describe } from "vitest";
import { contractSuite } from "../../../../packages/client/test/contract/contract-suite.ts";
import { platformFixture } from "./platform-fixture.ts";

/** Which dialects to run on; test/contract tests the rules of both. */
const dialects = process.env.TEST_MATRIX === "full" ? (["reference", "live"] as const) : (["reference"] as const);

describe("the contract in one process", () => {
  for (const dialect of dialects) contractSuite(`the platform's process, ${dialect}`, () => platformFixture(dialect));
});
