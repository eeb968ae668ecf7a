import { configDefaults, defineConfig } from "vitest/config";
import { slowFiles } from "./tools/slow/files.ts";

export default defineConfig({
  test: {
    include: ["{packages,examples}/*/{src,test}/**/*.test.ts", "tools/**/*.test.ts"],
    exclude: [...configDefaults.exclude, ...slowFiles],
    reporters: ["default", "./tools/closing-line-reporter.ts"],
    globalSetup: ["examples/platform/test/stores.ts", "packages/webhook-kit/test/redis-server.ts"],
    pool: "forks",
    // Most of them wait for servers, stores and processes. Vitest would leave one of two cores idle.
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
