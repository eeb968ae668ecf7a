import { expect, test } from "vitest";
import { joinUrl } from "./create-endpoint-client.ts";

test.each([
  ["https://example.com", "https://example.com/test/auth"],
  ["https://example.com/", "https://example.com/test/auth"],
  ["https://example.com/someprefix", "https://example.com/someprefix/test/auth"],
  ["https://example.com/someprefix/", "https://example.com/someprefix/test/auth"],
  ["https://example.com/a/b//", "https://example.com/a/b/test/auth"],
  ["http://example.com:8080/p/", "http://example.com:8080/p/test/auth"],
  ["https://example.com/with%20space/", "https://example.com/with%20space/test/auth"],
])("joins a base URL and a path: %s [D-41] [interface: Introduction 1c]", (base, joined) =>
  expect(joinUrl(base, "/test/auth").href).toBe(joined),
);

test.each([
  ["plain", "plain"],
  ["a/b", "a%2Fb"],
  ["a?b#c", "a%3Fb%23c"],
  ["ü ", "%C3%BC%20"],
  ["%2e%2e", "%252e%252e"],
  ["a\\b", "a%5Cb"],
  ["...", "..."],
])("encodes the path parameter %j", (workerId, encoded) =>
  expect(joinUrl("https://example.com/p/", "/contact/new/{workerId}", { workerId }).href).toBe(
    `https://example.com/p/contact/new/${encoded}`,
  ),
);

test.each(["", ".", "..", "\ud800"])("rejects the path parameter %j", (workerId) =>
  expect(() => joinUrl("https://example.com", "/contact/new/{workerId}", { workerId })).toThrow(
    expect.objectContaining({ code: "invalid_address" }),
  ),
);

test.each(["http://127.0.0.1:99999", "https://[::1", "https://"])(
  "explains what is wrong with the base URL %j",
  (base) => {
    expect(() => joinUrl(base, "/test")).toThrow(/host name and its port/);
  },
);

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
])("rejects the base URL %j without quoting it", (base) => {
  expect(() => joinUrl(base, "/test")).toThrow(
    expect.objectContaining({ code: "invalid_address", message: expect.not.stringContaining("secret") }),
  );
});
