// The weight of a program that reads one offer: raising it is a decision. About 1,100 bytes are a call with its request, retries
// and key, 900 the options with their checks, 800 read a response's status and problem details, 700 are errors that are thrown,
// wrapped and redacted, 400 tell failed connections apart, 350 are the classes of errors, 500 the shape of an offer and its
// reader, 550 the operations with times in UTC, 500 deadlines and a bounded body, 130 a retry decision, 130 the methods
// of the client and 150 a watch. The remedies are on the pages that docsUrl names.
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
  expect(gzipSync(contents, { level: 9 }).length).toBeLessThanOrEqual(6_420);
});
