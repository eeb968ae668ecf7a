import { expect, test } from "vitest";
import { decodePayload, encodePayload, encodeSignal } from "./listen-notify.ts";
import type { Signal } from "./store.ts";

const signals: Signal[] = [
  { topic: "delivery", organisationId: "org_küche" },
  { topic: "notification", workerIds: ["a", "b"] },
  { topic: "mail" },
];

test("decodes the signals in a payload, except in the process that sent it", () => {
  const payload = encodePayload("one", signals.map(encodeSignal));
  expect(decodePayload(payload, "other")).toEqual(signals);
  expect(decodePayload(payload, "one")).toEqual([]);
});

test('encodes "everything" instead of signals that would need 8,000 bytes, even with multi-byte characters', () => {
  const payloadWithIdLength = (length: number): string =>
    encodePayload("one", [encodeSignal({ topic: "offer", organisationId: "ü".repeat(length) })]);
  // In UTF-8, ü needs two bytes.
  const maxLength = Math.floor((7_999 - Buffer.byteLength(payloadWithIdLength(0))) / 2);
  const largestPayload = payloadWithIdLength(maxLength);
  expect(Buffer.byteLength(largestPayload)).toBeLessThan(8_000);
  expect(decodePayload(largestPayload, "other")).toHaveLength(1);
  expect(decodePayload(largestPayload, "other")).not.toEqual(["everything"]);
  expect(decodePayload(payloadWithIdLength(maxLength + 1), "other")).toEqual(["everything"]);
});

test("a signal lists at most a hundred workers", () => {
  const decodedSignals = (count: number) => {
    const workerIds = Array.from({ length: count }, (_, index) => `w${index}`);
    return decodePayload(encodePayload("one", [encodeSignal({ topic: "notification", workerIds })]), "other");
  };
  expect(decodedSignals(100)).toEqual([{ topic: "notification", workerIds: expect.arrayContaining(["w0", "w99"]) }]);
  expect(decodedSignals(101)).toEqual([{ topic: "notification" }]);
});

test.each(["", "nonsense", "{}", "null", '{"by":"x","heard":[{"topic":"weather"}]}', '{"by":"x"}'])(
  'decodes the unknown payload %j as "everything"',
  (payload) => expect(decodePayload(payload, "own")).toEqual(["everything"]),
);
