import { basename, dirname } from "node:path";
import { build } from "vite";
import { describe, test } from "vitest";
import webpack from "webpack";
import { type Bundler, checkBundle, conditions, sendToFetch } from "./bundled-receiver.ts";

const bundlers: Record<string, Bundler> = {
  webpack: (entry, outfile, target) =>
    new Promise((resolve, reject) =>
      webpack(
        {
          mode: "production",
          target: target === "node" ? "node20" : "webworker",
          entry,
          output: { path: dirname(outfile), filename: basename(outfile), library: { type: "module" } },
          experiments: { outputModule: true },
          externals: [/^node:/],
          externalsType: "module",
          resolve: { conditionNames: [...conditions[target], "import"] },
        },
        (error, stats) => {
          if (error) reject(error);
          else if (stats?.hasErrors()) reject(new Error(stats.toString()));
          else resolve(stats);
        },
      ),
    ),
  Vite: (entry, outfile, target) =>
    build({
      root: dirname(entry),
      configFile: false,
      logLevel: "silent",
      ssr: {
        target: target === "node" ? "node" : "webworker",
        noExternal: true,
        resolve: { conditions: conditions[target] },
      },
      build: {
        ssr: entry,
        minify: true,
        outDir: dirname(outfile),
        emptyOutDir: false,
        rolldownOptions: { external: /^node:/, output: { entryFileNames: basename(outfile) } },
      },
    }),
};

describe.each(Object.entries(bundlers))("%s", (_, bundle) =>
  test.each(["node", "edge"] as const)(
    "a receiver from /fetch for %s is small, and handles signed webhooks",
    (target) => checkBundle(bundle, target, ["fetch", "webhookHandler"], sendToFetch),
  ),
);
