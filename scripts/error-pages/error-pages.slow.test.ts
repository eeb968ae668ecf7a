import { readdirSync } from "node:fs";
import { join } from "node:path";
import { isOffersError, OffersClient } from "@offers/client";
import { ConfigurationError } from "@offers/webhook-kit";
import { webhookHandler } from "@offers/webhook-kit/fetch";
import { expect, test } from "vitest";
import { printErrorPages } from "./print-error-pages.ts";
import { readCodes } from "./read-codes.ts";

const root = join(import.meta.dirname, "../..");
const files = readdirSync(join(root, "docs/errors"));
const pageOf = (docsUrl: string) =>
  /^https:\/\/github\.com\/offers\/offers\/blob\/main\/docs\/errors\/(\w+\.md)$/.exec(docsUrl)?.[1];

test("each code has a page, and each page a code [D-113]", () => {
  const codes = new Set(readCodes(root).map(({ code }) => code));
  expect(codes.size).toBeGreaterThan(80);
  expect([...printErrorPages(root).keys()].map((path) => path.replace("docs/errors/", "")).sort()).toEqual(
    files.sort(),
  );
  expect(files.filter((file) => file !== "README.md")).toEqual([...codes].sort().map((code) => `${code}.md`));
});

function docsUrlOfClient(): string {
  try {
    new OffersClient({ baseUrl: "https://service.example", apiKey: "key", maxRetries: -1 });
  } catch (error) {
    if (isOffersError(error)) return error.docsUrl;
  }
  return expect.unreachable();
}

test.each([
  ["the client", docsUrlOfClient],
  ["the kit", () => new ConfigurationError("invalid_secret", "").docsUrl],
])("an error of %s leads to its page [D-113]", (_, docsUrl) => expect(files).toContain(pageOf(docsUrl())));

test("a rejected request leads to the page of its reason, and its response to that of its code", async () => {
  const rejected: string[] = [];
  const secret = "5f0c9a7e-2d43-4f0e-9b7a-0d6f3c1e8a52";
  const handler = webhookHandler({ secret, onRejected: ({ docsUrl }) => rejected.push(docsUrl) });
  const response = await handler(new Request("https://integrator.example/test/auth"));
  const { type } = (await response.json()) as { type: string };
  expect([...rejected, type].map(pageOf)).toEqual(["missing_timestamp.md", "invalid_signature.md"]);
  expect(files).toEqual(expect.arrayContaining([...rejected, type].map(pageOf)));
});
