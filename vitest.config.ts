import { configDefaults, defineConfig } from "vitest/config";
import { isolatedFiles } from "./tools/gate/vitest/isolated-files.ts";
import { slowFiles } from "./tools/gate/vitest/slow-files.ts";

/** Of the built site: they are `npm run check -- docs`. */
const docsChecks = ["tools/docs/check/*.test.ts"];

/** Those in src/ open no socket, no store and no process. */
const files = ["{packages,examples}/*/{src,test}/**/*.test.ts", "{bench,tools}/**/*.test.ts"];

/** Two minutes of CPU in processes of the lowest priority, and orders on PostgreSQL: begun first, they use what the other tests leave. */
const explorers = ["tools/reliability/{simulator,interleavings}/*.test.ts"];

const notNow = [...configDefaults.exclude, ...slowFiles, ...docsChecks];

/** Nothing is expected to take long; a busy machine may make it so. A project takes these from nowhere else. */
export const limits = { testTimeout: 180_000, hookTimeout: 180_000 };

export default defineConfig({
  test: {
    reporters: ["default", "./tools/gate/vitest/summary-reporter.ts"],
    globalSetup: [
      "tools/gate/vitest/compile-cache.ts",
      "examples/platform/test/support/test-seed.ts",
      "examples/platform/test/support/stores/stores.ts",
      "packages/webhook-kit/test/deduplication/redis-server.ts",
    ],
    pool: "forks",
    maxWorkers: 4,
    // PGlite is a large WebAssembly module, of which a test file uses little: a run takes 5 % less CPU when V8 does not optimise it.
    execArgv: ["--liftoff-only"],
    // Node runs what is tested as it is, and removes its types itself: no file is transformed, and a run takes a fifth less CPU.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // Vitest runs them in the order of their names. Files that share processes come late: the last ones of a run are short.
    projects: [
      { extends: true, test: { name: "explorers", include: explorers, ...limits } },
      {
        extends: true,
        test: {
          name: "sharing",
          include: files,
          exclude: [...notNow, ...isolatedFiles, ...explorers],
          isolate: false,
          ...limits,
        },
      },
      { extends: true, test: { name: "isolated", include: isolatedFiles, exclude: notNow, ...limits } },
      {
        extends: true,
        test: {
          // What the compiler refuses is the failure: at run time such a test cannot fail.
          name: "types",
          include: [],
          typecheck: {
            enabled: true,
            only: true,
            include: ["{packages,examples}/*/test/**/*.test-d.ts"],
            tsconfig: "tsconfig.json",
            checker: "node_modules/typescript7/bin/tsc",
          },
        },
      },
    ],
  },
});
