import { expect, test } from "vitest";
import type { IncomingRequest } from "../http/request.ts";
import type { VerifiedRequest } from "../signature/verify-signature.ts";
import { endpoints, findRoute, type Route } from "./endpoints.ts";
import { readInput, validateInput } from "./read-input.ts";

const { schema } = endpoints["/offer/response"];

test("a payload is validated, and keeps fields that are not in the contract", () => {
  const payload = { offerId: "o1", workerId: "w1", response: "accepted", extra: true };
  expect(validateInput(schema, payload)).toEqual({ input: payload, converted: [] });
  expect(() => validateInput(schema, { offerId: true, response: "accepted" })).toThrow(
    expect.objectContaining({
      rejection: expect.objectContaining({ code: "invalid_request", status: 400 }),
      response: expect.objectContaining({ body: expect.stringMatching(/"offerId":\[".*"workerId":\["/) }),
    }),
  );
});

/** A request whose body must not be read, because it is absent or was read to verify the signature. */
const unreadable = {
  rawHeaders: ["Content-Type", "application/json"],
  readBody: () => Promise.reject(new Error("the body is read")),
} as unknown as IncomingRequest<undefined>;
const read = (path: string, verifiedBody?: Uint8Array) =>
  readInput(
    { maxBodyBytes: 10 },
    unreadable,
    findRoute(path) as Route,
    { body: verifiedBody } as unknown as VerifiedRequest,
  );

test("GET /test has no input, and its body is not read", async () => {
  expect(await read("/test")).toStrictEqual({ input: undefined, converted: [], body: undefined });
});

test("the input of a GET request comes from its path, and its body is not read", async () => {
  expect(await read("/contact/new/J%C3%BCrgen")).toStrictEqual({
    input: { workerId: "Jürgen" },
    converted: [],
    body: undefined,
  });
});

test("a body that was read to verify its signature is not read again", async () => {
  const payload = { offerId: "o1", workerId: "w1", response: "accepted" };
  const bytes = new TextEncoder().encode(JSON.stringify(payload));
  expect(await read("/offer/response", bytes)).toStrictEqual({
    input: payload,
    converted: [],
    body: { kind: "bytes", bytes },
  });
});
