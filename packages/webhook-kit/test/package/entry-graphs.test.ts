import { build } from "esbuild";
import { expect, test } from "vitest";

/** Lists the files of this package and the names of the other packages that an entry loads. */
async function findLoadedModules(entry: string): Promise<{ files: string[]; packages: string[] }> {
  const { metafile } = await build({
    entryPoints: [new URL(`../../src/${entry}.ts`, import.meta.url).pathname],
    bundle: true,
    write: false,
    metafile: true,
    platform: "node",
    format: "esm",
    logLevel: "error",
  });
  const inputs = Object.keys(metafile.inputs);
  const packages = inputs.flatMap((path) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? []);
  return { files: inputs.filter((path) => !path.includes("node_modules")), packages: [...new Set(packages)].sort() };
}

test.each(["index", "express", "fetch", "lambda", "node"])("/%s does not load any package", async (entry) => {
  const { files, packages } = await findLoadedModules(entry);
  expect(packages).toEqual([]);
  expect(
    files.filter((path) => /redis|inbox|catch-up|opentelemetry|conformance|test-receiver|sign-headers/.test(path)),
  ).toEqual([]);
});

test("/redis loads neither a Redis client nor a framework", async () => {
  const { files, packages } = await findLoadedModules("redis");
  expect(packages).toEqual([]);
  expect(files.some((path) => path.endsWith("redis-deduplication.ts"))).toBe(true);
});

test.each(["mysql", "postgres", "sqlite"])(
  "/%s loads neither a client nor the inbox of another database",
  async (database) => {
    const { files, packages } = await findLoadedModules(database);
    expect(packages).toEqual([]);
    const inboxes = files.filter((path) => path.endsWith("-inbox.ts")).map((path) => path.replace(/.*\//, ""));
    expect(inboxes).toEqual([`${database}-inbox.ts`]);
  },
);

test("/express does not load Express, because it imports only its types", async () => {
  expect((await findLoadedModules("express")).packages).not.toContain("express");
});
