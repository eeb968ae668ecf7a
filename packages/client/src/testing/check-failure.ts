import type { TestFailure } from "./test-service.ts";

// Objects instead of lists, so that the compiler reports a missing name.
const failures: Record<Extract<TestFailure, string>, 0> = {
  "connection-refused": 0,
  "connection-reset": 0,
  "response-lost": 0,
  hang: 0,
  "hang-in-body": 0,
};
const responseFields: Record<keyof Exclude<TestFailure, string>, 0> = {
  status: 0,
  retryAfterSeconds: 0,
  headers: 0,
  body: 0,
};
const expected = `{ status: 503 } or one of ${Object.keys(failures).join(", ")}`;

/**
 * Throws if the failure is unknown or invalid. If it were ignored, the request would succeed and the test might pass.
 *
 * @throws {TypeError}
 */
export function checkFailure(failure: TestFailure, times: number): void {
  if (!Number.isInteger(times) || times < 1)
    throw new TypeError(`failNext: times must be an integer of at least 1, not ${times}`);
  if (typeof failure === "string") {
    if (Object.hasOwn(failures, failure)) return;
    throw new TypeError(`failNext: unknown failure "${failure}"; use ${expected}`);
  }
  if (typeof failure !== "object" || failure === null)
    throw new TypeError(`failNext: ${failure} is not a failure; use ${expected}`);
  const unknownName = Object.keys(failure).find((name) => !Object.hasOwn(responseFields, name));
  if (unknownName !== undefined)
    throw new TypeError(
      `failNext: unknown property "${unknownName}"; a response has ${Object.keys(responseFields).join(", ")}`,
    );
  const { status, retryAfterSeconds = 0 } = failure;
  if (!Number.isInteger(status) || status < 200 || status > 599)
    throw new TypeError(`failNext: status must be an integer from 200 to 599, not ${status}`);
  if (!Number.isInteger(retryAfterSeconds) || retryAfterSeconds < 0)
    throw new TypeError(`failNext: retryAfterSeconds must be an integer of at least 0, not ${retryAfterSeconds}`);
}
