import { defineConfig } from "vitest/config";

/** The tests that must notice a mutant: those next to the code. The property test of the offer's states is too slow. */
export default defineConfig({
  test: { include: ["examples/platform/src/{routes/api,http,offers}/**/*.test.ts"], pool: "forks" },
});
