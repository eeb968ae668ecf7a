// The weight of a program that reads one offer: raising it is a decision. About 900 bytes are the options with their checks, 650
// errors that are thrown, wrapped and redacted, 300 the classes of errors and 300 tell failed connections apart, 800 read failed
// responses, 450 the shape of an offer, 800 are a call with its retries and deadlines, 550 a request and a bounded body, 450 the
// operations with times in UTC, and 150 a watch. The remedies are on the pages that docsUrl names.
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { build } from "../support/esbuild.ts";

const program = `
  import { OffersClient } from "./src/index.ts";
  new OffersClient({ baseUrl: "https://service.example", apiKey: "key" }).getOffer("offer_1").then(console.log);`;

test.each(["neutral", "browser"])("a program that reads one offer, bundled for %s", async (platform) => {
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
  expect(gzipSync(contents, { level: 9 }).length).toBeLessThanOrEqual(6_330);
});
