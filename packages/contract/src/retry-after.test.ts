import { expect, test } from "vitest";
import { retryAfterMs } from "./retry-after.ts";

// RFC 9110 defines both forms in section 10.2.3, and the date formats in section 5.6.7. The first date is its example.
const now = Date.UTC(1999, 11, 31, 23, 59, 0);

test.each([
  ["120", 120_000],
  ["0", 0],
  ["Fri, 31 Dec 1999 23:59:59 GMT", 59_000],
  ["Fri, 31 Dec 1999 23:58:00 GMT", 0],
  ["Friday, 31-Dec-99 23:59:59 GMT", 59_000],
  ["Fri Dec 31 23:59:59 1999", 59_000],
  ["Sat Jan  1 00:00:00 2000", 60_000],
  // The retry schedules limit such delays.
  ["99999999999", 99_999_999_999_000],
  ["9".repeat(30), Number.MAX_SAFE_INTEGER],
])("retryAfterMs parses %j", (header, ms) => expect(retryAfterMs(header, now)).toBe(ms));

test.each([
  ["3.0", 3_000],
  ["299.997", 299_997],
])("retryAfterMs parses %j, which has a fraction [D-156]", (header, ms) => expect(retryAfterMs(header, now)).toBe(ms));

// RFC 9110, section 6.6.1: Date is the time at which the response was created, by the clock that Retry-After uses.
test.each([
  ["Fri, 31 Dec 1999 22:59:30 GMT", "Fri, 31 Dec 1999 22:59:00 GMT", 30_000],
  ["Sat, 01 Jan 2000 01:00:30 GMT", "Sat, 01 Jan 2000 01:00:00 GMT", 30_000],
  ["Fri, 31 Dec 1999 23:59:59 GMT", "no date", 59_000],
  ["Fri, 31 Dec 1999 23:59:59 GMT", undefined, 59_000],
  ["120", "Fri, 31 Dec 1999 22:59:00 GMT", 120_000],
])("retryAfterMs parses %j in a response with the Date %j", (header, date, ms) =>
  expect(retryAfterMs(header, now, date)).toBe(ms),
);

test.each([undefined, "", "-1", "1.", ".5", "1,5", "soon", "1e3", "2000-01-01", "Fri Dec 31 1999", ["1", "2"]])(
  "retryAfterMs ignores %j",
  (header) => expect(retryAfterMs(header, now)).toBeUndefined(),
);
