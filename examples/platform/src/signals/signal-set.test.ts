import { expect, test } from "vitest";
import type { Signal } from "./signal.ts";
import { SignalSet } from "./signal-set.ts";

const taken = (...signals: readonly (Signal | "everything")[]) => {
  const set = new SignalSet();
  for (const signal of signals) set.add(signal);
  return set.take();
};
const workers = (count: number, from = 0) => Array.from({ length: count }, (_, index) => `w${from + index}`);

test("keeps one of each topic and organisation, in the order they came", () =>
  expect(
    taken(
      { topic: "delivery", organisationId: "a" },
      { topic: "offer", organisationId: "a" },
      { topic: "delivery", organisationId: "b" },
      { topic: "delivery", organisationId: "a" },
      { topic: "mail" },
    ),
  ).toMatchObject([
    { topic: "delivery", organisationId: "a" },
    { topic: "offer", organisationId: "a" },
    { topic: "delivery", organisationId: "b" },
    { topic: "mail" },
  ]));

test("names the workers of all notifications", () =>
  expect(
    taken({ topic: "notification", workerIds: ["a", "b"] }, { topic: "notification", workerIds: ["b", "c"] }),
  ).toEqual([{ topic: "notification", workerIds: ["a", "b", "c"] }]));

test.each([
  ["one names none", [{ topic: "notification" }, { topic: "notification", workerIds: ["a"] }]],
  ["the last names none", [{ topic: "notification", workerIds: ["a"] }, { topic: "notification" }]],
  ["there are more than a hundred", [{ topic: "notification", workerIds: workers(101) }]],
  [
    "there are more than a hundred together",
    [
      { topic: "notification", workerIds: workers(60) },
      { topic: "notification", workerIds: workers(60, 50) },
    ],
  ],
] as [string, Signal[]][])("names no workers when %s", (_, signals) =>
  expect(taken(...signals)).toEqual([{ topic: "notification" }]),
);

test("everything takes the place of all, until it is taken", () => {
  const set = new SignalSet();
  set.add({ topic: "mail" });
  set.add("everything");
  set.add({ topic: "mail" });
  expect(set.isEmpty).toBe(false);
  expect(set.take()).toBe("everything");
  expect(set.isEmpty).toBe(true);
  expect(set.take()).toEqual([]);
});

test("more than a thousand are everything", () => {
  const many = Array.from({ length: 1_001 }, (_, index): Signal => ({ topic: "offer", organisationId: `${index}` }));
  expect(taken(...many.slice(0, -1))).toHaveLength(1_000);
  expect(taken(...many)).toBe("everything");
});
