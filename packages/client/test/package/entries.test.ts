// Which packages each entry point requires users to install.
import { expect, test } from "vitest";
import { build } from "../support/esbuild.ts";

test.each([
  ["index", []],
  ["openapi-fetch", ["openapi-fetch"]],
  ["opentelemetry", ["@opentelemetry/api"]],
  ["schemas", ["zod"]],
  ["testing", []],
])("the entry point %s imports only %j", async (entry, peers) => {
  const { metafile } = await build({
    entryPoints: [`dist/${entry}.js`],
    absWorkingDir: new URL("../..", import.meta.url).pathname,
    bundle: true,
    packages: "external",
    platform: "node",
    format: "esm",
    metafile: true,
    write: false,
    outdir: "bundled",
  });
  const importedPaths = Object.values(metafile.outputs).flatMap(({ imports }) => imports.map(({ path }) => path));
  expect(new Set(importedPaths.filter((path) => !path.startsWith("node:")))).toEqual(new Set(peers));
});
