import { expect, test } from "vitest";
import { classifyAttempt } from "./endpoint-health.ts";

test.each([
  [{ status: 200 }, "acknowledged"],
  [{ status: 410, failure: "not_acknowledged" }, "gone"],
  ...[204, 302, 400, 401, 404, 422].map((status) => [{ status, failure: "not_acknowledged" }, "rejected"] as const),
  ...[408, 429, 500, 502, 503].map((status) => [{ status, failure: "not_acknowledged" }, "unhealthy"] as const),
  ...(["timeout", "connection_refused", "name_not_found", "tls_failed"] as const).map(
    (failure) => [{ failure }, "unhealthy"] as const,
  ),
  [{ failure: "internal_error" }, "inconclusive"],
  [{ failure: "request_too_large" }, "inconclusive"],
] as const)("classifies an attempt to deliver a response with %o as %s", (attempt, result) =>
  expect(classifyAttempt("workerOfferResponse", attempt)).toBe(result),
);
