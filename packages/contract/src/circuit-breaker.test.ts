import { expect, test } from "vitest";
import {
  type ClassifiedAttempt,
  classifyStatus,
  defaultBreakerPolicy,
  type EndpointHealth,
  healthy,
  nextHealth,
  openDurationMs,
} from "./circuit-breaker.ts";

const start = Date.parse("2031-05-01T10:00:00Z");
const second = 1_000;
const day = 24 * 3_600 * second;
const at = (ms: number): Date => new Date(start + ms);

/** Returns the health after an attempt, without jitter. */
const after = (health: EndpointHealth, attempt: Partial<ClassifiedAttempt>): EndpointHealth =>
  nextHealth(health, { result: "unhealthy", isProbe: false, at: at(0), ...attempt }, defaultBreakerPolicy, 0.5);

/** Returns the health after `count` equal attempts. */
function afterRepeated(count: number, attempt: Partial<ClassifiedAttempt>, health = healthy): EndpointHealth {
  let result = health;
  for (let repetition = 0; repetition < count; repetition += 1) result = after(result, attempt);
  return result;
}

test.each([
  [200, "acknowledged"],
  [410, "gone"],
  ...[204, 302, 400, 401, 404, 422].map((status) => [status, "rejected"] as const),
  ...[408, 429, 500, 502, 503, undefined].map((status) => [status, "unhealthy"] as const),
] as const)("the status %s means %s", (status, result) => expect(classifyStatus(status)).toBe(result));

test("ten failures in a row open the breaker, but nine do not", () => {
  expect(afterRepeated(9, {})).toMatchObject({ consecutiveFailures: 9, openUntil: null, failingSince: at(0) });
  expect(afterRepeated(10, {})).toMatchObject({ openCount: 1, openUntil: at(30 * second) });
});

test.each(["acknowledged", "rejected"] as const)("a response resets the failure count: %s", (result) =>
  expect(afterRepeated(9, {}, after(afterRepeated(9, {}), { result })).openUntil).toBe(null),
);

test("pauses double from 30 s to ten minutes, and jitter makes each up to a fifth shorter or longer", () => {
  const pauses = (random: number) =>
    [1, 2, 3, 5, 6, 60].map((number) => openDurationMs(defaultBreakerPolicy, { number }, random) / second);
  expect(pauses(0.5)).toEqual([30, 60, 120, 480, 600, 600]);
  expect(pauses(0)).toEqual([24, 48, 96, 384, 480, 480]);
  expect(pauses(0.999_999)).toEqual([36, 72, 144, 576, 720, 720]);
});

test("only a failed half-open attempt lengthens the pause, not attempts that were already in progress", () => {
  const open = afterRepeated(10, {});
  expect(afterRepeated(8, {}, open).openUntil).toEqual(at(30 * second));
  const reopened = after(open, { isProbe: true, at: at(31 * second) });
  expect(reopened).toMatchObject({ openCount: 2, openUntil: at(91 * second) });
});

test.each(["acknowledged", "rejected"] as const)(
  "a half-open attempt with a response closes the breaker: %s",
  (result) => {
    const probed = after(afterRepeated(10, {}), { result, isProbe: true });
    expect(probed).toMatchObject({ consecutiveFailures: 0, openCount: 0, openUntil: null });
  },
);

test("Retry-After lengthens the pause, up to six hours, and never shortens it", () => {
  const openUntilAfter = (retryAfterMs: number) => afterRepeated(10, { retryAfterMs }).openUntil;
  expect(openUntilAfter(second)).toEqual(at(30 * second));
  expect(openUntilAfter(3_600 * second)).toEqual(at(3_600 * second));
  expect(openUntilAfter(day)).toEqual(at(6 * 3_600 * second));
});

test("a 410 disables the endpoint immediately, and attempts in progress do not enable it again", () => {
  const gone = after(healthy, { result: "gone" });
  expect(gone).toMatchObject({ disabledAt: at(0), disabledBecause: "gone" });
  expect(after(gone, { result: "acknowledged" }).disabledBecause).toBe("gone");
});

test.each(["unhealthy", "rejected"] as const)("only five days of failures disable the endpoint: %s", (result) => {
  const failing = [0, 1, 2, 3, 4].reduce((health, days) => after(health, { result, at: at(days * day) }), healthy);
  expect(after(failing, { result, at: at(5 * day - 1) }).disabledAt).toBe(null);
  expect(after(failing, { result, at: at(5 * day) })).toMatchObject({ disabledBecause: "failing" });
  const acknowledged = after(failing, { result: "acknowledged", at: at(4 * day) });
  expect(after(acknowledged, { result, at: at(6 * day) }).disabledAt).toBe(null);
});

test("a failure long after the previous one starts a new failing period, because nothing was attempted in between", () => {
  const rejected = after(healthy, { result: "rejected" });
  expect(after(rejected, { at: at(1.5 * day) }).failingSince).toEqual(at(0));
  const later = after(rejected, { at: at(7 * day) });
  expect(later).toMatchObject({ disabledAt: null, failingSince: at(7 * day) });
  expect(after(later, { at: at(8 * day) }).failingSince).toEqual(at(7 * day));
});

test("an internal error does not change the endpoint's health", () =>
  expect(afterRepeated(20, { result: "inconclusive" })).toEqual(healthy));
