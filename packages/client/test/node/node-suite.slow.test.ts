// Runs the client's suites again, with undici as the runtime's fetch.
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { undiciFetch } from "../../src/node.ts";
import "../calls/call.test.ts";
import "../calls/deadlines.test.ts";
import "../errors/errors.test.ts";
import "../calls/operations.test.ts";
import "../calls/regressions.test.ts";
import "../calls/retries.test.ts";
import "../errors/redaction.test.ts";

const pool = undiciFetch();

beforeAll(() => void vi.stubGlobal("fetch", pool));

afterAll(() => {
  vi.unstubAllGlobals();
  return pool.close();
});

test("the runtime's fetch is undici's in this file", () => expect(globalThis.fetch).toBe(pool));
