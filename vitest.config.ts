import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["{packages,examples}/*/{src,test}/**/*.test.ts", "tools/**/*.test.ts"],
    reporters: ["default", "./tools/closing-line-reporter.ts"],
    globalSetup: ["examples/platform/test/stores.ts", "packages/webhook-kit/test/redis-server.ts"],
    pool: "forks",
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
