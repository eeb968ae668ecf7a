import { expect, test } from "vitest";
import { heardIn, payloadOf, signalText } from "./listen-notify.ts";
import type { Signal } from "./store.ts";

const signals: Signal[] = [
  { topic: "delivery", organisationId: "org_küche" },
  { topic: "notification", workerIds: ["a", "b"] },
  { topic: "mail" },
];

test("carries signals to other processes, but not back to its own", () => {
  const payload = payloadOf("one", signals.map(signalText));
  expect(heardIn(payload, "other")).toEqual(signals);
  expect(heardIn(payload, "one")).toEqual([]);
});

test('sends "everything" when a payload would reach 8,000 bytes, even with multi-byte characters', () => {
  const withName = (length: number): string =>
    payloadOf("one", [signalText({ topic: "offer", organisationId: "ü".repeat(length) })]);
  const room = (7_999 - Buffer.byteLength(withName(0))) / 2;
  const fits = withName(Math.floor(room));
  expect(Buffer.byteLength(fits)).toBeLessThan(8_000);
  expect(heardIn(fits, "other")).toHaveLength(1);
  expect(heardIn(fits, "other")).not.toEqual(["everything"]);
  expect(heardIn(withName(Math.floor(room) + 1), "other")).toEqual(["everything"]);
});

test("names up to a hundred workers", () => {
  const heard = (count: number) => {
    const workerIds = Array.from({ length: count }, (_, index) => `w${index}`);
    return heardIn(payloadOf("one", [signalText({ topic: "notification", workerIds })]), "other");
  };
  expect(heard(100)).toEqual([{ topic: "notification", workerIds: expect.arrayContaining(["w0", "w99"]) }]);
  expect(heard(101)).toEqual([{ topic: "notification" }]);
});

test.each(["", "nonsense", "{}", "null", '{"by":"x","heard":[{"topic":"weather"}]}', '{"by":"x"}'])(
  'reads the unknown payload %j as "everything"',
  (payload) => expect(heardIn(payload, "own")).toEqual(["everything"]),
);
