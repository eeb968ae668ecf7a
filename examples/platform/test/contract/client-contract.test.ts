import { describe } from "vitest";
import { contractSuite } from "../../../../packages/client/test/contract/suite.ts";
import { platformStage } from "./contract-platform-stage.ts";

describe("the contract in a process", () => {
  for (const dialect of ["reference", "live"] as const)
    contractSuite(`the platform's process, ${dialect}`, () => platformStage(dialect));
});
