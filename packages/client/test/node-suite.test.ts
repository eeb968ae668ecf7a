// The suites of the client once more, with undici as the runtime's fetch.
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { undiciFetch } from "../src/node.ts";
import "./call.test.ts";
import "./deadlines.test.ts";
import "./errors.test.ts";
import "./operations.test.ts";
import "./regressions.test.ts";
import "./retries.test.ts";
import "./redaction.test.ts";

const pool = undiciFetch();

beforeAll(() => void vi.stubGlobal("fetch", pool));

afterAll(() => {
  vi.unstubAllGlobals();
  return pool.close();
});

test("the fetch of the runtime is undici's here", () => expect(globalThis.fetch).toBe(pool));
