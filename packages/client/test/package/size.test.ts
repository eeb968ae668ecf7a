// The size of a program that reads one offer. Raise the limit deliberately: plain code matters more than small code.
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { build } from "../support/esbuild.ts";

const program = `
  import { OffersClient } from "./src/index.ts";
  new OffersClient({ baseUrl: "https://service.example", apiKey: "key" }).getOffer("offer_1").then(console.log);`;

test.each(["neutral", "browser"])("a program that reads one offer is small when bundled for %s", async (platform) => {
  const { outputFiles } = await build({
    stdin: { contents: program, resolveDir: new URL("../..", import.meta.url).pathname },
    bundle: true,
    minify: true,
    format: "esm",
    platform,
    target: "es2022",
    write: false,
  });
  const [{ contents, text }] = outputFiles;
  expect(text).not.toMatch(/\bimport\b/);
  expect(gzipSync(contents, { level: 9 }).length).toBeLessThanOrEqual(8_550);
});
