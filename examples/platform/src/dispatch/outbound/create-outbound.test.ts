import { expect, test } from "vitest";
import { joinAddress, retryAfterMs } from "./create-outbound.ts";

// RFC 9110, 10.2.3 has both forms, 5.6.7 those of a date; the date is that of its example.
const now = Date.UTC(1999, 11, 31, 23, 59, 0);

test.each([
  ["120", 120_000],
  ["0", 0],
  ["Fri, 31 Dec 1999 23:59:59 GMT", 59_000],
  ["Fri, 31 Dec 1999 23:58:00 GMT", 0],
  ["Friday, 31-Dec-99 23:59:59 GMT", 59_000],
  ["Fri Dec 31 23:59:59 1999", 59_000],
  ["Sat Jan  1 00:00:00 2000", 60_000],
  // The retry schedules cap such waits.
  ["99999999999", 99_999_999_999_000],
  ["9".repeat(30), Number.MAX_SAFE_INTEGER],
])("reads %j", (header, ms) => expect(retryAfterMs(header, now)).toBe(ms));

test.each([undefined, "", "-1", "1.5", "soon", "1e3", "2000-01-01", "Fri Dec 31 1999", ["1", "2"]])(
  "ignores %j",
  (header) => expect(retryAfterMs(header, now)).toBeUndefined(),
);

test.each([
  ["https://example.com", "https://example.com/test/auth"],
  ["https://example.com/", "https://example.com/test/auth"],
  ["https://example.com/someprefix", "https://example.com/someprefix/test/auth"],
  ["https://example.com/someprefix/", "https://example.com/someprefix/test/auth"],
  ["https://example.com/a/b//", "https://example.com/a/b/test/auth"],
  ["http://example.com:8080/p/", "http://example.com:8080/p/test/auth"],
  ["https://example.com/with%20space/", "https://example.com/with%20space/test/auth"],
])("joins %s", (base, joined) => expect(joinAddress(base, "/test/auth").href).toBe(joined));

test.each([
  ["plain", "plain"],
  ["a/b", "a%2Fb"],
  ["a?b#c", "a%3Fb%23c"],
  ["ü ", "%C3%BC%20"],
  ["%2e%2e", "%252e%252e"],
  ["a\\b", "a%5Cb"],
  ["...", "..."],
])("encodes the path parameter %j", (workerId, encoded) =>
  expect(joinAddress("https://example.com/p/", "/contact/new/{workerId}", { workerId }).href).toBe(
    `https://example.com/p/contact/new/${encoded}`,
  ),
);

test.each(["", ".", "..", "\ud800"])("refuses the path parameter %j", (workerId) =>
  expect(() => joinAddress("https://example.com", "/contact/new/{workerId}", { workerId })).toThrow(
    expect.objectContaining({ code: "invalid_address" }),
  ),
);

test.each(["http://127.0.0.1:99999", "https://[::1", "https://"])("says what to check in %j", (base) => {
  expect(() => joinAddress(base, "/test")).toThrow(/host name and its port/);
});

test.each([
  "",
  "example.com",
  "ftp://example.com",
  "file:///etc/passwd",
  "javascript:alert(1)",
  "https://",
  "https://user:secret@example.com",
  "https://user@example.com",
  "https://example.com/?a=b",
  "https://example.com?",
  "https://example.com/#",
])("refuses the base address %j, without repeating it", (base) => {
  expect(() => joinAddress(base, "/test")).toThrow(
    expect.objectContaining({ code: "invalid_address", message: expect.not.stringContaining("secret") }),
  );
});
