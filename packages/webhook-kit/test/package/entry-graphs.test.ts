import { build } from "esbuild";
import { expect, test } from "vitest";

/** Returns what an entry loads: this package's files, and packages by name. */
async function findLoadedModules(entry: string): Promise<{ own: string[]; packages: string[] }> {
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
  return { own: inputs.filter((path) => !path.includes("node_modules")), packages: [...new Set(packages)].sort() };
}

test.each(["index", "express", "fetch", "lambda", "node"])("/%s does not load any package", async (entry) => {
  const { own, packages } = await findLoadedModules(entry);
  expect(packages).toEqual([]);
  expect(
    own.filter((path) => /redis|inbox|catch-up|opentelemetry|conformance|test-receiver|sign-headers/.test(path)),
  ).toEqual([]);
});

test("/redis loads neither a Redis client nor a framework", async () => {
  const { own, packages } = await findLoadedModules("redis");
  expect(packages).toEqual([]);
  expect(own.some((path) => path.endsWith("redis-deduplication.ts"))).toBe(true);
});

test.each(["mysql", "postgres", "sqlite"])(
  "/%s loads neither a client nor another database's inbox",
  async (database) => {
    const { own, packages } = await findLoadedModules(database);
    expect(packages).toEqual([]);
    const inboxes = own.filter((path) => path.endsWith("-inbox.ts")).map((path) => path.replace(/.*\//, ""));
    expect(inboxes).toEqual([`${database}-inbox.ts`]);
  },
);

test("only /express imports Express, and only for its types", async () => {
  expect((await findLoadedModules("express")).packages).not.toContain("express");
});
