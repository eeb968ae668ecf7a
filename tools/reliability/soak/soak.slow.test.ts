import { undiciFetch } from "@offers/client/node";
import { expect, test } from "vitest";
import { runtimesFetch, soak } from "./soak.ts";

const pool = undiciFetch();

// The full test, which also checks the heap, is `npm run check -- soak`.
test.each([
  ["the runtime's fetch", runtimesFetch],
  ["/node", { fetch: pool, close: () => pool.close() }],
])("two thousand calls over %s under faults end as expected, and leak nothing", async (_what, transport) => {
  const { outcomes, faults } = await soak({ calls: 2_000, seed: 20_261_120, concurrency: 100, transport });
  expect(faults).toEqual([]);
  expect(Object.values(outcomes).reduce((sum, calls) => sum + calls)).toBe(2_000);
  // A service without faults would show nothing.
  expect(Object.keys(outcomes).sort()).toEqual([
    "aborted",
    "bad_request",
    "conflict",
    "connection_lost",
    "data",
    "forbidden",
    "invalid_response",
    "not_found",
    "rate_limited",
    "server_error",
    "timeout",
    "unauthenticated",
    "unexpected_redirect",
  ]);
  expect(outcomes.data).toBeGreaterThan(1_000);
});
