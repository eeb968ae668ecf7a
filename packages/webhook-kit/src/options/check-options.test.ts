import { expect, test } from "vitest";
import { captureConsole } from "../../test/support/capture-console.ts";
import { webhookRouter } from "../express.ts";

captureConsole();

const secret = "5f0c9a7e-2d43-4f0e-9b7a-0d6f3c1e8a52";
const invalidOption = (message: RegExp) =>
  expect.objectContaining({
    name: "ConfigurationError",
    code: "invalid_option",
    message: expect.stringMatching(message),
  });

test.each([
  [
    "a misspelt handler",
    { secret, onWorkerOfferRespons: () => undefined },
    /^Unknown option onWorkerOfferRespons; did you mean onWorkerOfferResponse\? The options are: /,
  ],
  ["a short unknown name", { secret, Clock: Date.now }, /^Unknown option Clock\. The options/],
  [
    "a flag that is a string",
    { secret, allowShortSecret: "false" },
    /^allowShortSecret must be true or false; it is a string\./,
  ],
  [
    "a handler that is not a function",
    { secret, onWorkerOfferResponse: "x" },
    /onWorkerOfferResponse must be a function/,
  ],
  ["a clock that is not a function", { secret, now: new Date() }, /now must be a function/],
  ["no options at all", undefined, /Pass an options object/],
  ["a name that every object has", { secret, toString: 1 }, /^Unknown option toString\. The options are: /],
])("%s is rejected at construction", (_what, options, message) => {
  expect(() => webhookRouter(options as never)).toThrow(invalidOption(message));
});

test("an undefined option counts as omitted", () => {
  expect(() => webhookRouter({ secret, onWorkerOfferResponse: undefined } as never)).not.toThrow();
});
