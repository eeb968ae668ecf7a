import { defineConfig } from "vitest/config";

/** The tests that must kill the mutants of the kit: the tests next to the code. They do not open sockets. */
export default defineConfig({
  test: {
    include: ["packages/webhook-kit/src/**/*.test.ts"],
    pool: "forks",
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // Thousands of hostile inputs take more than the usual 5 s on a busy machine.
    testTimeout: 30_000,
  },
});
