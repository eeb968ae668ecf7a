import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isOffersError, OffersClient } from "@offers/client";
import { ConfigurationError } from "@offers/webhook-kit";
import { webhookHandler } from "@offers/webhook-kit/fetch";
import { expect, test } from "vitest";
import { readCodes } from "./read-codes.ts";

const page = readFileSync(join(import.meta.dirname, "../../docs/errors.md"), "utf8");
const sections = [...page.matchAll(/^### `(\w+)`$/gm)].map(([, code]) => code);
const parseSection = (docsUrl: string) =>
  /^https:\/\/github\.com\/offers\/offers\/blob\/main\/docs\/errors\.md#(\w+)$/.exec(docsUrl)?.[1];

test("each code has a section, and each section belongs to a code [D-113]", () => {
  const codes = new Set(readCodes(join(import.meta.dirname, "../..")).map(({ code }) => code));
  expect(codes.size).toBeGreaterThan(80);
  expect(sections.sort()).toEqual([...codes].sort());
});

function readClientDocsUrl(): string {
  try {
    new OffersClient({ baseUrl: "https://service.example", apiKey: "key", maxRetries: -1 });
  } catch (error) {
    if (isOffersError(error)) return error.docsUrl;
  }
  return expect.unreachable();
}

test.each([
  ["the client", readClientDocsUrl],
  ["the kit", () => new ConfigurationError("invalid_secret", "").docsUrl],
])("an error from %s links to its section [D-113]", (_, docsUrl) =>
  expect(sections).toContain(parseSection(docsUrl())),
);

test("a rejection links to the section about its reason, and the response links to the section about its own code", async () => {
  const docsUrls: string[] = [];
  const secret = "5f0c9a7e-2d43-4f0e-9b7a-0d6f3c1e8a52";
  const handler = webhookHandler({ secret, onRejected: ({ docsUrl }) => docsUrls.push(docsUrl) });
  const response = await handler(new Request("https://integrator.example/test/auth"));
  const { type } = (await response.json()) as { type: string };
  expect([...docsUrls, type].map(parseSection)).toEqual(["missing_timestamp", "invalid_signature"]);
  expect(sections).toEqual(expect.arrayContaining([...docsUrls, type].map(parseSection)));
});
