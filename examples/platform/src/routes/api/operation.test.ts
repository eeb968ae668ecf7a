import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import { type AddressInfo, connect } from "node:net";
import type { Request } from "express";
import express from "express";
import { afterAll, beforeAll, expect, test } from "vitest";
import { checkApiVersion, readIdempotencyKey } from "./operation.ts";

/** Parses a query as Express does and checks its version. Returns "accepted", or the error if the check fails. */
function checkVersionInQuery(search: string, isRequired: boolean): unknown {
  const parse = express().get("query parser fn") as (search: string) => Request["query"];
  const request: Partial<Request> = { query: parse(search) };
  try {
    checkApiVersion(request as Request, isRequired);
    return "accepted";
  } catch (error) {
    return error;
  }
}

test.each([true, false])("accepts version 1.0 if isRequired is %s", (isRequired) =>
  expect(checkVersionInQuery("api-version=1.0&other=2", isRequired)).toBe("accepted"),
);

test("accepts a missing version where it is optional", () => expect(checkVersionInQuery("", false)).toBe("accepted"));

const remedy = "Send api-version=1.0 exactly once.";
const rejection = { code: "unsupported_api_version", message: remedy, errors: new Map([["api-version", [remedy]]]) };

test("rejects a missing version where it is required", () =>
  expect(checkVersionInQuery("api_version=1.0", true)).toMatchObject(rejection));

test.each([
  "api-version=",
  "api-version=1",
  "api-version=1.0.0",
  "api-version=v1.0",
  "api-version=1.0%20",
  "api-version=2.0",
  "api-version=1.0&api-version=1.0",
  "api-version=1.0&api-version=2.0",
  "api-version[]=1.0",
  "api-version[a]=2.0&api-version=1.0",
])("rejects %s, whether or not a version is required", (search) => {
  for (const isRequired of [true, false]) expect(checkVersionInQuery(search, isRequired)).toMatchObject(rejection);
});

const server = createServer();
beforeAll(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
});

/** Sends a request with these headers, and returns the key or the error from reading it. */
async function readKey(...headers: string[]): Promise<unknown> {
  const requestEvent = once(server, "request") as Promise<[IncomingMessage]>;
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  // Node.js decodes header values as Latin-1.
  socket.write(["GET / HTTP/1.1", "Host: localhost", ...headers, "", ""].join("\r\n"), "latin1");
  const [request] = await requestEvent;
  socket.destroy();
  try {
    return readIdempotencyKey(request as Request);
  } catch (error) {
    return error;
  }
}

test("finds no key in a request without the header", async () =>
  expect(await readKey("Idempotency-Keys: k")).toBeUndefined());

test.each(["k", " ~!", "8f14e45f-ceea-4e7b-9c3a-5d6f7a8b9c0d", '"quoted, with a comma"', "x".repeat(255)])(
  "accepts the key %j",
  async (key) => expect(await readKey(`idempotency-key: ${key}`)).toBe(key.trim()),
);

test.each([
  ["that is empty", ["Idempotency-Key:"]],
  ["that is too long", [`Idempotency-Key: ${"x".repeat(256)}`]],
  ["that is not ASCII", ["Idempotency-Key: schl\u00fcssel"]],
  ["that contains a tab", ["Idempotency-Key: a\tb"]],
  ["that is sent along with a different key", ["Idempotency-Key: a", "idempotency-key: b"]],
  ["that is sent twice", ["Idempotency-Key: a", "Idempotency-Key: a"]],
])("rejects a key %s", async (_, headers) =>
  expect(await readKey(...headers)).toMatchObject({
    code: "invalid_request",
    errors: new Map([["Idempotency-Key", [expect.stringContaining("1 to 255 printable ASCII")]]]),
  }),
);
