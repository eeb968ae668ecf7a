// What each entry point imports: packages that users must install, and the transport for their runtime.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { build } from "../support/esbuild.ts";

const folder = new URL("../..", import.meta.url).pathname;

test.each([
  ["index", []],
  ["openapi-fetch", ["openapi-fetch"]],
  ["opentelemetry", ["@opentelemetry/api"]],
  ["schemas", ["zod"]],
  ["testing", []],
])("the entry point %s imports only %j", async (entry, peers) => {
  const { metafile } = await build({
    entryPoints: [`dist/${entry}.js`],
    absWorkingDir: folder,
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

test.each([
  ["browser", [], false],
  ["neutral", [], false],
  ["neutral", ["workerd", "worker"], false],
  ["neutral", ["edge-light"], false],
  ["node", ["deno"], false],
  ["node", ["bun"], false],
  ["node", [], true],
])(
  "a bundle for %s with the conditions %j contains the transport for node:http: %s [D-165]",
  async (platform, conditions, isExpected) => {
    for (const entry of ["src/index.ts", "dist/index.js", "dist/index.cjs"]) {
      const { outputFiles } = await build({
        entryPoints: [entry],
        absWorkingDir: folder,
        bundle: true,
        platform,
        conditions,
        format: "esm",
        write: false,
      });
      expect(outputFiles[0].text.includes("getBuiltinModule")).toBe(isExpected);
    }
  },
);

test("the sources and the package switch the transport on the same conditions [D-165]", () => {
  const [source, published] = ["src/package.json", "package.json"].map(
    (file) => JSON.parse(readFileSync(`${folder}/${file}`, "utf8")).imports["#transport"],
  );
  expect(Object.keys(published)).toEqual(Object.keys(source));
  for (const [condition, path] of Object.entries<string>(source)) {
    const target = path.replace("./transport/", "./dist/");
    expect(published[condition]).toEqual({
      import: target.replace(".ts", ".js"),
      require: target.replace(".ts", ".cjs"),
    });
  }
});
