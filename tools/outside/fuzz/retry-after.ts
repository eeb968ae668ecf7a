import assert from "node:assert/strict";
import { retryAfterMs } from "../../../packages/contract/src/retry-after.ts";
import type { FuzzTarget } from "./target.ts";

const now = Date.UTC(2026, 10, 24, 12);

/** `Retry-After`, as the platform and the client read it. */
export const retryAfter: FuzzTarget = {
  words: ["Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994", " GMT", "120"],
  fuzz(data) {
    const header = data.toString("latin1");
    const expected = secondReading(header);
    const ms = retryAfterMs(header, now);
    if (ms !== undefined) assert.ok(ms >= 0 && Number.isFinite(ms), `retryAfterMs returns ${ms}`);
    if (expected !== undefined) assert.equal(ms, expected, "retryAfterMs reads seconds and dates");
  },
};

/** Seconds, or the preferred form of an HTTP date (RFC 9110, 5.6.7) whose fields are in range. */
function secondReading(header: string): number | undefined {
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1000;
  const form = /^[A-Z][a-z]{2}, (\d\d) ([A-Z][a-z]{2}) (\d{4}) (\d\d):(\d\d):(\d\d) GMT$/.exec(header);
  const [, day, month = "", year, hour, minute, second] = form ?? [];
  const index = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"].indexOf(month);
  const fields = [year, index, day, hour, minute, second].map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const instant = new Date(Date.UTC(...fields));
  // A weekday that is not the date's, or the 31st of June: readers differ, and none is wrong.
  return form && index >= 0 && instant.toUTCString() === header ? Math.max(0, instant.getTime() - now) : undefined;
}
