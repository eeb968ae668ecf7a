import { defineConfig } from "vitest/config";

/** The tests that must notice a mutant of the kit: those next to the code, none of which opens a socket. */
export default defineConfig({
  test: {
    include: ["packages/webhook-kit/src/**/*.test.ts"],
    pool: "forks",
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // Thousands of hostile inputs take more than the usual 5 s on a busy machine.
    testTimeout: 30_000,
  },
});
