import { expect, test } from "vitest";
import type { WebhookEvent } from "./events.ts";
import { parseWebhookEvent } from "./parse-webhook-event.ts";

const receivedAt = "2026-11-22T21:00:00.000Z";

const events: WebhookEvent[] = [
  { type: "WorkerAddedContact", data: { workerId: "worker_amal" }, receivedAt, deduplicationKey: "ab12" },
  { type: "WorkerOfferResponse", data: { offerId: "o", workerId: "w", response: "accepted" }, receivedAt },
  {
    type: "OfferEventDeleted",
    data: { offerId: "o", workerId: "w", eventStart: "2099-05-01T16:00:00Z" },
    receivedAt,
    unverifiedDeliveryId: "delivery_1",
  },
  {
    type: "TimelineChanged",
    data: {
      workerId: "w",
      periodStart: "2099-05-01T16:00:00Z",
      periodEnd: "2099-05-02T16:00:00Z",
      completedAt: "2026-11-22T20:59:59Z",
      maxAvailableNow: 3,
    },
    receivedAt,
  },
];

test.each(events)("an event of type $type survives JSON", (event) =>
  expect(parseWebhookEvent(JSON.parse(JSON.stringify(event)))).toEqual(event),
);

test("unknown fields are kept, in the event and in its data", () => {
  const event = { ...events[0], shard: "t", data: { workerId: "w", team: "kitchen" } };
  expect(parseWebhookEvent(event)).toEqual(event);
});

test("any string is accepted as a response", () => {
  const event = { type: "WorkerOfferResponse", data: { offerId: "o", workerId: "w", response: "later" }, receivedAt };
  expect(parseWebhookEvent(event)).toEqual(event);
});

const [contact] = events;
test.each<[string, unknown, string[]]>([
  ["an undefined value", undefined, ["body"]],
  ["a string that was not parsed", JSON.stringify(contact), ["body"]],
  ["a list", [contact], ["body"]],
  ["an unknown type", { ...contact, type: "ContactSuggestions" }, ["type"]],
  ["a property name that every object has", { ...contact, type: "__proto__" }, ["type"]],
  ["data of a different type", { ...contact, type: "OfferEventDeleted" }, ["data.offerId", "data.eventStart"]],
  ["an empty id", { ...contact, data: { workerId: "" } }, ["data.workerId"]],
  ["an event without a time", { ...contact, receivedAt: undefined }, ["receivedAt"]],
  ["a time that is not a date", { ...contact, receivedAt: "yesterday" }, ["receivedAt"]],
  ["an empty key", { ...contact, deduplicationKey: "" }, ["deduplicationKey"]],
  ["a key that is not a string", { ...contact, deduplicationKey: 7 }, ["deduplicationKey"]],
])("%s is not a valid event, and the error lists the fields", (_, value, fields) => {
  expect(() => parseWebhookEvent(value)).toThrow(
    expect.objectContaining({ name: "InvalidEventError", code: "invalid_event" }),
  );
  try {
    parseWebhookEvent(value);
  } catch (error) {
    expect(Object.keys((error as { fields: object }).fields)).toEqual(fields);
  }
});

test("the error contains no values from the event", () => {
  const value = {
    type: "WorkerOfferResponse",
    data: { offerId: true, workerId: "worker_amal", response: "hush" },
    receivedAt: "hush",
  };
  expect(() => parseWebhookEvent(value)).toThrow(
    /^The value is not a valid webhook event: data\.offerId, receivedAt\./,
  );
});
