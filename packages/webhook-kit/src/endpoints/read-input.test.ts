import { expect, test } from "vitest";
import { endpoints } from "./endpoints.ts";
import { validateInput } from "./read-input.ts";

const { schema } = endpoints["/offer/response"];

test("a payload is validated, and keeps fields that the contract does not know", () => {
  const payload = { offerId: "o1", workerId: "w1", response: "accepted", extra: true };
  expect(validateInput(schema, payload)).toEqual({ input: payload, converted: [] });
  expect(() => validateInput(schema, { offerId: true, response: "accepted" })).toThrow(
    expect.objectContaining({
      rejection: expect.objectContaining({ reason: "invalid_request", status: 400 }),
      response: expect.objectContaining({ body: expect.stringMatching(/"offerId":\[".*"workerId":\["/) }),
    }),
  );
});
