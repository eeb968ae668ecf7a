import { expect, test } from "vitest";
import { retryAfterMs } from "./retry-after.ts";

// RFC 9110, 10.2.3 has both forms; the date is that of its example.
const now = Date.UTC(1999, 11, 31, 23, 59, 0);

test.each([
  ["120", 120_000],
  ["0", 0],
  ["Fri, 31 Dec 1999 23:59:59 GMT", 59_000],
  ["Fri, 31 Dec 1999 23:58:00 GMT", 0],
])("reads %j", (header, ms) => expect(retryAfterMs(header, now)).toBe(ms));

test.each([undefined, "", "-1", "1.5", "soon", "1e3", "99999999999", "2000-01-01", ["1", "2"]])(
  "makes nothing of %j",
  (header) => expect(retryAfterMs(header, now)).toBeUndefined(),
);
