import { expect, test, vi } from "vitest";
import { adapters } from "../support/adapters.ts";
import { captureConsole } from "../support/capture-console.ts";
import { createSignedHeaders, secret, sendRaw } from "../support/serve.ts";

captureConsole();

const { Timestamp = "", Authorization = "" } = createSignedHeaders();
const digest = Authorization.slice("hmac ".length);

const cases: [description: string, headers: string[], status: number, rejectionCode?: string][] = [
  ["valid headers", [`Timestamp: ${Timestamp}`, `Authorization: ${Authorization}`], 200],
  ["header names in a different case", [`TIMESTAMP: ${Timestamp}`, `aUTHORIZATION: ${Authorization}`], 200],
  ["the scheme name in a different case", [`Timestamp: ${Timestamp}`, `Authorization: HMAC ${digest}`], 200],
  ["lower-case digits", [`Timestamp: ${Timestamp}`, `Authorization: hmac ${digest.toLowerCase()}`], 200],
  [
    "white space around values, which HTTP drops",
    [`Timestamp: \t ${Timestamp} `, `Authorization:${Authorization}  `],
    200,
  ],
  [
    "two Authorization headers, the valid one first",
    [`Timestamp: ${Timestamp}`, `Authorization: ${Authorization}`, "Authorization: hmac 00"],
    401,
    "duplicate_header",
  ],
  [
    "two Authorization headers, the valid one last",
    [`Timestamp: ${Timestamp}`, "Authorization: hmac 00", `Authorization: ${Authorization}`],
    401,
    "duplicate_header",
  ],
  [
    "two equal Authorization headers",
    [`Timestamp: ${Timestamp}`, `Authorization: ${Authorization}`, `Authorization: ${Authorization}`],
    401,
    "duplicate_header",
  ],
  [
    "two Timestamp headers",
    [`Timestamp: ${Timestamp}`, `Timestamp: ${Timestamp}`, `Authorization: ${Authorization}`],
    401,
    "duplicate_header",
  ],
  [
    "two values joined by a comma",
    [`Timestamp: ${Timestamp}`, `Authorization: ${Authorization}, ${Authorization}`],
    401,
    "duplicate_header",
  ],
  ["a space and a tab", [`Timestamp: ${Timestamp}`, `Authorization: hmac \t${digest}`], 401, "malformed_authorization"],
  ["a tab", [`Timestamp: ${Timestamp}`, `Authorization: hmac\t${digest}`], 401, "malformed_authorization"],
  [
    "more digits after the digest",
    [`Timestamp: ${Timestamp}`, `Authorization: hmac ${digest}00`],
    401,
    "malformed_authorization",
  ],
  [
    "garbage after the digest",
    [`Timestamp: ${Timestamp}`, `Authorization: hmac ${digest}zz`],
    401,
    "malformed_authorization",
  ],
  [
    "a prefix of the digest",
    [`Timestamp: ${Timestamp}`, `Authorization: hmac ${digest.slice(0, 32)}`],
    401,
    "malformed_authorization",
  ],
  [
    "64 characters that are not ASCII",
    [`Timestamp: ${Timestamp}`, `Authorization: hmac ${"é".repeat(64)}`],
    401,
    "malformed_authorization",
  ],
  ["no scheme name", [`Timestamp: ${Timestamp}`, `Authorization: ${digest}`], 401, "malformed_authorization"],
  ["an empty Authorization", [`Timestamp: ${Timestamp}`, "Authorization:"], 401, "malformed_authorization"],
  ["an empty Timestamp", ["Timestamp:", `Authorization: ${Authorization}`], 401, "malformed_timestamp"],
  [
    "a number as Timestamp",
    ["Timestamp: 1700000000junk", `Authorization: ${Authorization}`],
    401,
    "malformed_timestamp",
  ],
  ["NaN as Timestamp", ["Timestamp: NaN", `Authorization: ${Authorization}`], 401, "malformed_timestamp"],
];

test.each(adapters.flatMap((adapter) => cases.map((testCase) => ({ adapter, testCase }))))(
  "$adapter.name responds to $testCase.0 with $testCase.2 [D-16] [interface: Authentication 1b]",
  async ({ adapter, testCase: [, headers, status, rejectionCode] }) => {
    const onRejected = vi.fn();
    const { port } = await adapter.serve({ secret, onRejected });
    const response = await sendRaw(
      port,
      ["GET /test/auth HTTP/1.1", "Host: a", "Connection: close", ...headers, "", ""].join("\r\n"),
    );
    expect(response).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(onRejected.mock.calls.map(([rejection]) => rejection.code)).toEqual(rejectionCode ? [rejectionCode] : []);
  },
);
