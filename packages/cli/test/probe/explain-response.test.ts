import { expect, test } from "vitest";
import { explainResponse } from "../../src/explain.ts";

test.each([
  ["freshness/hour-old", 200, 0, "old_timestamp_accepted", "defect"],
  ["headers/timestamp-twice-old-first", 200, 0, "second_timestamp_accepted", "defect"],
  ["digests/appended-upper", 401, 0, "valid_request_refused", "defect"],
  ["bodies/plain", 204, 0, "wrong_success_status", "defect"],
  ["bodies/plain", 410, 0, "endpoint_disabled", "defect"],
  ["digests/appended-upper", "closed", 0, "no_response", "defect"],
  ["replays/same-bytes-twice", 409, 1, "duplicate_refused", "defect"],
  ["standard/plain", 503, 0, "error_on_bad_signature", "defect"],
  ["digests/empty-key", 400, 0, "unusual_refusal", "note"],
] as const)(
  "explainResponse explains, for %s, the response %s to request %i as %s",
  (id, status, step, code, severity) => {
    const finding = explainResponse(id, status, step);
    expect(finding).toMatchObject({ code, severity });
    expect(finding?.why).toMatch(/\.$/);
    expect(finding?.change).toMatch(/\.$/);
  },
);

test.each([
  ["freshness/hour-old", 401],
  ["freshness/hour-old", 403],
  ["timestamps/lower-t", 401],
] as const)("explainResponse returns no finding for %s and the harmless response %i", (id, status) =>
  expect(explainResponse(id, status)).toBeUndefined(),
);

test("explainResponse throws a RangeError for an unknown vector or request", () => {
  expect(() => explainResponse("freshness/yesterday", 200)).toThrow(RangeError);
  expect(() => explainResponse("freshness/hour-old", 200, 1)).toThrow(
    "The test vector freshness/hour-old does not exist, or has no request 1.",
  );
});
