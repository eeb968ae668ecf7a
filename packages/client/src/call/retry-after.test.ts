import { expect, test } from "vitest";
import { readRetryAfter } from "./read-response.ts";

// The date is RFC 9110's own example, 5.6.7: Sun, 06 Nov 1994 08:49:37 GMT, which `date -u -d … +%s` gives as 784111777.
const date = "Sun, 06 Nov 1994 08:49:37 GMT";
const time = 784_111_777_000;

test.each([
  ["120", 120_000],
  ["0", 0],
  ["9".repeat(400), 999_999_999_999_000],
])("%s seconds is %i ms", (value, waitMs) => expect(readRetryAfter(value)).toBe(waitMs));

test("a date is the time until then, and none when it has passed", () => {
  expect(readRetryAfter(date, time - 30_000)).toBe(30_000);
  expect(readRetryAfter(date, time)).toBe(0);
  expect(readRetryAfter(date, time + 30_000)).toBe(0);
});

test.each([null, "", "soon", "-1", "1.5", "5 minutes", "GMT", "2099-05-01T16:00:00Z", "NaN", "Infinity"])(
  "%j asks for nothing",
  (value) => expect(readRetryAfter(value ?? "", time)).toBeUndefined(),
);

test("a date in another zone than GMT asks for nothing, for none is allowed", () =>
  expect(readRetryAfter("Sun, 06 Nov 1994 08:49:37 GMT+0200", time)).toBeUndefined());
