import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import { type AddressInfo, connect } from "node:net";
import type { Request } from "express";
import { afterAll, beforeAll, expect, test } from "vitest";
import { idempotencyKey } from "./idempotency-key.ts";

const server = createServer();
beforeAll(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
});

/** The key that is read from a request with these headers. */
async function read(...headers: string[]): Promise<unknown> {
  const arrival = once(server, "request") as Promise<[IncomingMessage]>;
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  socket.write(["GET / HTTP/1.1", "Host: localhost", ...headers, "", ""].join("\r\n"), "latin1");
  const [request] = await arrival;
  socket.destroy();
  try {
    return idempotencyKey(request as Request);
  } catch (error) {
    return error;
  }
}

test("a request without the header has no key", async () => expect(await read("Idempotency-Keys: k")).toBeUndefined());

test.each(["k", " ~!", "8f14e45f-ceea-4e7b-9c3a-5d6f7a8b9c0d", '"quoted, with a comma"', "x".repeat(255)])(
  "%j is a key",
  async (key) => expect(await read(`idempotency-key: ${key}`)).toBe(key.trim()),
);

test.each([
  ["an empty one", ["Idempotency-Key:"]],
  ["a long one", [`Idempotency-Key: ${"x".repeat(256)}`]],
  ["a key that is not ASCII", ["Idempotency-Key: schl\u00fcssel"]],
  ["one with a tab", ["Idempotency-Key: a\tb"]],
  ["two", ["Idempotency-Key: a", "idempotency-key: b"]],
  ["the same one twice", ["Idempotency-Key: a", "Idempotency-Key: a"]],
])("%s is refused", async (_, headers) =>
  expect(await read(...headers)).toMatchObject({
    code: "invalid_request",
    errors: new Map([["Idempotency-Key", [expect.stringContaining("1 to 255 printable ASCII")]]]),
  }),
);
