import { configDefaults, defineConfig } from "vitest/config";

/** They write the templates that tests copy, and print the stores on which the tests run. */
const stores = [
  "examples/platform/test/support/test-seed.ts",
  "examples/platform/test/support/stores/stores.ts",
  "packages/webhook-kit/test/support/name-stores.ts",
];

const folders = ["{packages,examples}/*/{src,test}", "{bench,scripts,tests}"];

/** The test files with this suffix. */
const suffixed = (suffix: string) => folders.map((folder) => `${folder}/**/*${suffix}.test.ts`);

// Nothing is expected to take long; a busy machine may make it so.
const limits = { testTimeout: 180_000, hookTimeout: 180_000 };

export default defineConfig({
  test: {
    globalSetup: stores,
    pool: "forks",
    maxWorkers: 3,
    // Node runs the sources as they are, and removes the types itself: no file is transformed.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // Vitest runs them in the order of their names.
    projects: [
      {
        extends: true,
        test: {
          // These files share processes, and the modules that these have loaded.
          name: "shared",
          include: suffixed(""),
          exclude: [...configDefaults.exclude, ...["isolated", "slow", "docs"].flatMap((kind) => suffixed(`.${kind}`))],
          isolate: false,
          setupFiles: ["packages/webhook-kit/test/support/ignore-missing-handlers.ts"],
          // PGlite is a large WebAssembly module, of which a test file uses little: it need not be optimised.
          execArgv: ["--liftoff-only"],
          ...limits,
        },
      },
      {
        extends: true,
        // They change global state that they cannot restore, or depend on it being unchanged: a global SDK, timers, classes of fetch.
        test: { name: "isolated", include: suffixed(".isolated"), execArgv: ["--liftoff-only"], ...limits },
      },
      {
        extends: true,
        // They take minutes, or need thousands of rows or many processes. One at a time: some compare durations.
        test: { name: "slow", include: suffixed(".slow"), fileParallelism: false, ...limits },
      },
      {
        // They look at the built site, which takes a minute to build.
        test: {
          name: "docs",
          include: suffixed(".docs"),
          globalSetup: ["scripts/docs/check/site.ts"],
          maxWorkers: 2,
          testTimeout: 600_000,
          hookTimeout: 600_000,
        },
      },
    ],
  },
});
