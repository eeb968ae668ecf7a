import { inMemoryStage } from "./in-memory.ts";
import { contractSuite } from "./suite.ts";

for (const dialect of ["reference", "live"] as const)
  contractSuite(`the service in memory, ${dialect}`, () => inMemoryStage(dialect));
