import { contractSuite } from "../../../packages/client/test/contract/suite.ts";
import { platformStage } from "./contract-platform-stage.ts";

for (const dialect of ["reference", "live"] as const)
  contractSuite(`the platform's process, ${dialect}`, () => platformStage(dialect));
