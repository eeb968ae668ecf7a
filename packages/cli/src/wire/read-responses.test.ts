import { expect, test } from "vitest";
import { fc } from "../../../../scripts/property-seed.ts";
import { readResponses } from "./read-responses.ts";

const readStatuses = (text: string, isClosed = true) =>
  readResponses(text, ["GET", "GET"], isClosed).map(({ status }) => status);
const ok = "HTTP/1.1 200 OK\r\n";

test.each([
  ["a length", `${ok}Content-Length: 2\r\n\r\nhi`],
  ["chunks", `${ok}Transfer-Encoding: chunked\r\n\r\n1;x=y\r\nh\r\n1\r\ni\r\n0\r\n\r\n`],
  ["the end of the connection", `${ok}\r\nhi`],
])("readResponses reads a body that is delimited by %s", (_, text) =>
  expect(readResponses(text, ["GET"], true)[0]?.body).toBe("hi"),
);

test("readResponses skips interim responses, and reads several responses in a row", () =>
  expect(
    readStatuses(`HTTP/1.1 100 Continue\r\n\r\n${ok}Content-Length: 0\r\n\r\n${ok}Content-Length: 0\r\n\r\n`),
  ).toEqual([200, 200]));

test("readResponses reads no body in a response to HEAD, even with a Content-Length", () =>
  expect(readResponses(`${ok}Content-Length: 5\r\n\r\n`, ["HEAD"], false)).toHaveLength(1));

test.each(["-5", "zz", "", "ffffffffff", "1.5", "0x5"])("the invalid chunk size %j ends the body", (size) =>
  expect(readStatuses(`${ok}Transfer-Encoding: chunked\r\n\r\n${size}\r\nxxxxx\r\n`)).toEqual([200]),
);

test.each(["-5", "1e3", "x", "+3"])("readResponses ignores the invalid Content-Length %j", (length) =>
  expect(readStatuses(`${ok}Content-Length: ${length}\r\n\r\nxxx`, false)).toEqual([]),
);

const fragment = fc.constantFrom(
  ...[
    ok,
    "\r\n",
    "\r\n\r\n",
    "Content-Length: ",
    "Transfer-Encoding: chunked",
    "0",
    "5",
    "-1",
    "ff",
    "x",
    " ",
    ";",
    "HTTP/1.1 ",
  ],
);

test("readResponses terminates for every string", () =>
  fc.assert(
    fc.property(fc.array(fragment, { maxLength: 40 }), fc.boolean(), (fragments, isClosed) => {
      expect(readResponses(fragments.join(""), ["GET"], isClosed).length).toBeLessThanOrEqual(40);
    }),
  ));
