import { defineConfig } from "vitest/config";

/** The tests that must kill the mutants of the platform: the tests next to the code. The property test of offer states is too slow. */
export default defineConfig({
  test: { include: ["examples/platform/src/{routes/api,http,offers}/**/*.test.ts"], pool: "forks" },
});
