import { expect, test } from "vitest";
import { webhookRouter } from "../express.ts";

const secret = "5f0c9a7e-2d43-4f0e-9b7a-0d6f3c1e8a52";
const refusal = (message: RegExp) =>
  expect.objectContaining({
    name: "ConfigurationError",
    code: "invalid_option",
    message: expect.stringMatching(message),
  });

test.each([
  ["a misspelt handler", { secret, onWorkerOfferRespons: () => undefined }, /onWorkerOfferRespons\b/],
  ["a handler that is no function", { secret, onWorkerOfferResponse: "x" }, /onWorkerOfferResponse must be a function/],
  ["a clock that is no function", { secret, now: new Date() }, /now must be a function/],
  ["no options at all", undefined, /options must be an object/],
  ["a name that every object has", { secret, toString: 1 }, /no option/],
])("%s is refused at once", (_what, options, message) => {
  expect(() => webhookRouter(options as never)).toThrow(refusal(message));
});

test("an option that is left undefined is as good as left out", () => {
  expect(() => webhookRouter({ secret, onWorkerOfferResponse: undefined } as never)).not.toThrow();
});
