import { http } from "msw";
import { setupServer } from "msw/node";
import { describe } from "vitest";
import { describeContract } from "./contract-suite.ts";
import { createInMemoryFixture, createSeededService } from "./in-memory.ts";

describe("the contract behind msw", () => {
  for (const dialect of ["reference", "live"] as const)
    describeContract(`the runtime's fetch with msw, ${dialect}`, () => {
      const service = createSeededService(dialect);
      const server = setupServer(...service.handlers(http));
      server.listen({ onUnhandledFrame: "error" });
      const throughGlobalFetch: typeof globalThis.fetch = (input, init) => globalThis.fetch(input, init);
      return { ...createInMemoryFixture(dialect, service, throughGlobalFetch), close: async () => server.close() };
    });
});
