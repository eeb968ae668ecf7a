import { afterEach, expect, test, vi } from "vitest";
import {
  AbortedError,
  type AnyOffersError,
  BadRequestError,
  ConflictError,
  ConnectionError,
  RateLimitError,
  ServerError,
  TimeoutError,
} from "../errors/error-classes.ts";
import type { OffersError } from "../errors/offers-error.ts";
import { delayBeforeRetry } from "./retry.ts";

afterEach(() => void vi.restoreAllMocks());

const computeDelay = (error: OffersError, { isRepeatable = true, retries = 0, random = 0 } = {}) => {
  vi.spyOn(Math, "random").mockReturnValue(random);
  const settings = { maxRetryAfterMs: 30_000, serviceHonoursIdempotencyKey: false };
  return delayBeforeRetry(error as AnyOffersError, isRepeatable ? "GET" : "POST", settings, retries);
};
const unavailable = new ServerError("", { status: 503 });

test.each([
  [0, 0, 250],
  [0, 1, 500],
  [1, 0, 500],
  [1, 1, 1_000],
  [4, 1, 8_000],
  [50, 0, 4_000],
  [50, 1, 8_000],
])("after %i retries, with the random value %d, it waits %i ms", (retries, random, waitMs) =>
  expect(computeDelay(unavailable, { retries, random })).toBe(waitMs),
);

test.each([
  unavailable,
  new RateLimitError("", { status: 429 }),
  new BadRequestError("", { status: 408 }),
  new TimeoutError(""),
  new ConnectionError("", { code: "connection_lost" }),
])("%o is retried only if the request may be repeated", (error) => {
  expect(computeDelay(error)).toBe(250);
  expect(computeDelay(error, { isRepeatable: false })).toBeUndefined();
});

test("a request that was never sent is retried even if it may not be repeated", () =>
  expect(computeDelay(new ConnectionError("", { code: "connect_failed" }), { isRepeatable: false })).toBe(250));

test.each([new BadRequestError("", { status: 400 }), new ConflictError("", { status: 409 }), new AbortedError("")])(
  "%o is never retried",
  (error) => expect(computeDelay(error)).toBeUndefined(),
);

test("a Retry-After longer than the backoff is respected, up to the cap", () => {
  expect(computeDelay(new ServerError("", { status: 503, retryAfterMs: 0 }))).toBe(250);
  expect(computeDelay(new ServerError("", { status: 503, retryAfterMs: 30_000 }))).toBe(30_000);
  expect(computeDelay(new ServerError("", { status: 503, retryAfterMs: 30_001 }))).toBeUndefined();
});

test("a POST is retried like a GET for a service that honours the idempotency key", () => {
  vi.spyOn(Math, "random").mockReturnValue(0);
  const settings = { maxRetryAfterMs: 0, serviceHonoursIdempotencyKey: true };
  expect(delayBeforeRetry(unavailable, "POST", settings, 0)).toBe(250);
});
