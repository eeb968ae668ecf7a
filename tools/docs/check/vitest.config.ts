import { defineConfig } from "vitest/config";

// npm run check -- docs: the built site, and the snippets of the documents.
export default defineConfig({
  root: new URL("../../..", import.meta.url).pathname,
  test: {
    include: ["tools/docs/check/*.test.ts"],
    globalSetup: ["tools/docs/check/site.ts"],
    pool: "forks",
    maxWorkers: 2,
    testTimeout: 600_000,
    hookTimeout: 600_000,
  },
});
