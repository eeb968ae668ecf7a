// Runs the client's suites in a process that does not import undici, so that every client without a `fetch` uses `node:http`.
import { expect, test } from "vitest";
import { OffersClient } from "../../src/index.ts";
import "../calls/call.test.ts";
import "../calls/deadlines.test.ts";
import "../errors/errors.test.ts";
import "../calls/operations.test.ts";
import "../calls/regressions.test.ts";
import "../calls/retries.test.ts";
import "../errors/redaction.test.ts";

test("the default transport in this file is node:http", () =>
  expect(new OffersClient({ baseUrl: "https://service.example", apiKey: "key" }).transport).toBe("node:http"));
