import { http } from "msw";
import { setupServer } from "msw/node";
import { describe } from "vitest";
import { contractSuite } from "./contract-suite.ts";
import { inMemoryFixture, seededTestService } from "./in-memory.ts";

describe("the contract behind msw", () => {
  for (const dialect of ["reference", "live"] as const)
    contractSuite(`the runtime's fetch with msw, ${dialect}`, () => {
      const service = seededTestService(dialect);
      const server = setupServer(...service.handlers(http));
      server.listen({ onUnhandledFrame: "error" });
      const throughGlobalFetch: typeof globalThis.fetch = (input, init) => globalThis.fetch(input, init);
      return { ...inMemoryFixture(dialect, service, throughGlobalFetch), close: async () => server.close() };
    });
});
