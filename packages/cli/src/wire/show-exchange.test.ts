import { expect, test } from "vitest";
import { toCommand } from "./show-exchange.ts";

const target = { host: "localhost", port: 3001 };
const mask = (text: string) => text.replaceAll("the-secret", "<secret>");
const createCommand = (text: string, encoding: BufferEncoding = "latin1") =>
  toCommand(Buffer.from(text, encoding), target, mask);

test("an ordinary request becomes a curl command", () =>
  expect(
    createCommand("GET /test/auth HTTP/1.1\r\nHost: localhost:3001\r\nTimestamp: it's\r\nConnection: close\r\n\r\n"),
  ).toBe("curl -i --path-as-is -X GET \\\n  -H 'Timestamp: it'\\''s' \\\n  'http://localhost:3001/test/auth'"));

test("the command sends the body unchanged, except for masked parts", () =>
  expect(
    createCommand(
      'POST /offer/response HTTP/1.1\r\nHost: localhost:3001\r\nContent-Length: 16\r\n\r\n{"a":"the-secret',
      "utf8",
    ),
  ).toContain(`--data-binary '{"a":"<secret>'`));

test.each([
  ["a bare line feed", "GET /test HTTP/1.1\nHost: localhost:3001\r\n\r\n"],
  ["a header without a value, which curl removes", "GET /test HTTP/1.1\r\nHost: localhost:3001\r\nTimestamp: \r\n\r\n"],
  ["chunks", "POST /test HTTP/1.1\r\nHost: localhost:3001\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"],
  ["a Content-Length that differs", "POST /test HTTP/1.1\r\nHost: localhost:3001\r\nContent-Length: 5\r\n\r\n{}"],
  ["bytes beyond ASCII in the head", "GET /test HTTP/1.1\r\nHost: localhost:3001\r\nTimestamp: \xe9\r\n\r\n"],
])("the command for %s sends the raw bytes", (_, text) => {
  expect(createCommand(text)).toMatch(/^printf %b '.*' \| nc localhost 3001$/s);
});

test("a request that is too long to show has no command", () =>
  expect(createCommand("x".repeat(10_000))).toBeUndefined());
