import { describe, expect, test, vi } from "vitest";
import { ProblemError } from "../http/problem.ts";
import { checkCreation } from "./check-creation.ts";

const slot = { start: "2026-05-05T16:00:00Z", end: "2026-05-05T22:00:00Z" };
const requiredFields = { createdByUserId: "hana", title: "Kitchen help", workerIds: ["amal"] };
const allFields = {
  ...requiredFields,
  details: "Evening service.",
  locationPlaceId: "kitchen",
  notifyEmailAddress: "hana@example.com",
  workerIds: ["amal", "ben"],
  events: [slot],
};

const mayCreate = vi.fn(async (id: string) => id === "hana");
const knownWorkers = vi.fn(async (ids: string[]) => new Set(ids.filter((id) => id !== "unknown")));
const now = new Date("2026-05-05T13:00:00Z");

const check = (body: unknown) => checkCreation(body, { now, mayCreate, knownWorkers });

/** JSON that is nested more deeply than a function can recurse. */
const deeplyNested = "[".repeat(200_000) + "]".repeat(200_000);

async function rejectionErrors(body: unknown): Promise<Record<string, string[]>> {
  const error = await check(body).catch((error: unknown) => error);
  if (!(error instanceof ProblemError)) throw new Error(`not rejected: ${JSON.stringify(error)}`);
  expect(error).toMatchObject({ code: "invalid_request", status: 400 });
  return Object.fromEntries(error.errors ?? []);
}

const remedies = {
  add: "Add this field; it is required.",
  creator: "Send the id of a person in the organisation that owns this API key.",
  date: "Use a UTC date-time, such as 2099-05-01T16:00:00Z.",
  empty: "Do not leave it empty.",
  field: "Remove it, or correct its name: there is no such field.",
  end: "Choose an end that is after the start.",
  nul: "Remove the character U+0000.",
  start: "Choose a start date of today or later (today is 2026-05-05 in UTC).",
  string: "Make it a string.",
  title: "The title must not be blank.",
  surrogate: "Remove the lone surrogate.",
  worker: "Send a worker's id; no worker has this one.",
};

describe("valid creations", () => {
  test.each([
    ["with every field", allFields],
    ["with the required fields only (D-01)", requiredFields],
    ["with empty optional fields", { ...allFields, details: "", locationPlaceId: "", events: [] }],
    ["with a repeated worker id (D-30)", { ...allFields, workerIds: ["amal", "amal"] }],
    ["with non-English and dangerous text", { ...allFields, title: `厨房 👩‍🍳 '; drop table offers; -- <b>` }],
    ["with an internationalised address (D-31)", { ...allFields, notifyEmailAddress: "φίλη@παράδειγμα.ελ" }],
    ["with +00:00 and a fraction (D-33)", { ...allFields, events: [{ ...slot, end: "2026-05-05T22:00:00.25+00:00" }] }],
    [
      "with an event that started at midnight today (D-29)",
      { ...allFields, events: [{ start: "2026-05-05T00:00:00Z", end: "2026-05-05T00:00:00.001Z" }] },
    ],
    [
      "with values of the maximum size (D-24)",
      {
        ...allFields,
        title: "x".repeat(200),
        details: "x".repeat(10_000),
        notifyEmailAddress: `${"x".repeat(252)}@x`,
        workerIds: Array.from({ length: 10_000 }, (_, index) => `worker-${index}`),
        events: Array.from({ length: 366 }, () => slot),
      },
    ],
  ])("a creation %s is returned unchanged", async (_, body) => expect(await check(body)).toEqual(body));
});

describe("invalid creations", () => {
  test.each<[string, unknown, Record<string, string[]>]>([
    ["a list", [], { body: ["Make it an object."] }],
    ["null", null, { body: ["Make it an object."] }],
    ["a string that cannot be stored", "\0", { body: ["Make it an object."] }],
    ["an empty object", {}, { createdByUserId: [remedies.add], title: [remedies.add], workerIds: [remedies.add] }],
    ["an unknown field", { ...allFields, titel: "x" }, { titel: [expect.stringContaining("no such field")] }],
    ["an empty title", { ...allFields, title: "" }, { title: [remedies.title] }],
    ["a blank title", { ...allFields, title: " \t\u00a0\n" }, { title: [remedies.title] }],
    ["a list as title", { ...allFields, title: [] }, { title: [remedies.string] }],
    [
      "an event with an unknown field",
      { ...allFields, events: [{ ...slot, note: "x" }] },
      { "events[0].note": [remedies.field] },
    ],
    ["deeply nested lists", { ...allFields, x: JSON.parse(deeplyNested) }, { x: [remedies.field] }],
    [
      "deeply nested lists as an event",
      { ...allFields, events: [JSON.parse(deeplyNested)] },
      { "events[0]": ["Make it an object."] },
    ],
    [
      "deeply nested lists in an event",
      { ...allFields, events: [{ ...slot, note: JSON.parse(deeplyNested) }] },
      { "events[0].note": [remedies.field] },
    ],
    ["a long title", { ...allFields, title: "x".repeat(201) }, { title: ["Use at most 200 characters."] }],
    ["long details", { ...allFields, details: "x".repeat(10_001) }, { details: ["Use at most 10000 characters."] }],
    [
      "a long address",
      { ...allFields, notifyEmailAddress: `${"x".repeat(253)}@x` },
      { notifyEmailAddress: ["Use at most 254 characters."] },
    ],
    [
      "two addresses",
      { ...allFields, notifyEmailAddress: "hana@example.com, bo@example.com" },
      { notifyEmailAddress: [expect.stringContaining("one email address")] },
    ],
    ["a stranger's id as creator", { ...allFields, createdByUserId: "bo" }, { createdByUserId: [remedies.creator] }],
    ["an empty creator", { ...allFields, createdByUserId: "" }, { createdByUserId: [remedies.empty] }],
    ["no workers", { ...allFields, workerIds: [] }, { workerIds: ["Choose at least one worker."] }],
    ["one worker as a string", { ...allFields, workerIds: "amal" }, { workerIds: ["Make it an array."] }],
    [
      "workers that are not ids",
      { ...allFields, workerIds: ["amal", "unknown", 7, "", "a\0"] },
      {
        "workerIds[1]": [remedies.worker],
        "workerIds[2]": [remedies.string],
        "workerIds[3]": [remedies.empty],
        "workerIds[4]": [remedies.nul],
      },
    ],
    ["events that are not a list", { ...allFields, events: slot }, { events: ["Make it an array."] }],
    [
      "too many events",
      { ...allFields, events: Array.from({ length: 367 }, () => slot) },
      { events: ["Use at most 366."] },
    ],
    ["an event that is null", { ...allFields, events: [slot, null] }, { "events[1]": ["Make it an object."] }],
    ["an event without an end", { ...allFields, events: [{ start: slot.start }] }, { "events[0].end": [remedies.add] }],
    [
      "an event without a start that ends before today",
      { ...allFields, events: [{ end: "2026-05-01T16:00:00Z" }] },
      { "events[0].start": [remedies.add] },
    ],
    [
      "an event that started a millisecond before today",
      { ...allFields, events: [slot, { ...slot, start: "2026-05-04T23:59:59.999Z" }] },
      { "events[1].start": [remedies.start] },
    ],
    [
      "an event that ends as it starts",
      { ...allFields, events: [{ start: slot.start, end: slot.start }] },
      { "events[0].end": [remedies.end] },
    ],
    [
      "an event that ends before it starts",
      { ...allFields, events: [slot, { start: slot.end, end: slot.start }] },
      { "events[1].end": [remedies.end] },
    ],
    [
      "a local time before today (D-33)",
      { ...allFields, events: [{ ...slot, start: "2020-05-05T16:00:00" }] },
      { "events[0].start": [remedies.date] },
    ],
    [
      "an offset without its colon",
      { ...allFields, events: [{ ...slot, start: "2026-05-05T16:00:00+0200" }] },
      { "events[0].start": [remedies.date] },
    ],
    [
      "strings that cannot be stored, wherever they are",
      { ...allFields, title: "a\0b", details: "\ud800", events: [{ ...slot, note: ["\udc00 and \0"] }] },
      { title: [remedies.nul], details: [remedies.surrogate], "events[0].note": [remedies.field] },
    ],
    [
      "several errors together",
      { title: 7, workerIds: ["unknown"], createdByUserId: "bo", events: [{ start: slot.end, end: slot.start }, {}] },
      {
        title: [remedies.string],
        "workerIds[0]": [remedies.worker],
        createdByUserId: [remedies.creator],
        "events[0].end": [remedies.end],
        "events[1].start": [remedies.add],
        "events[1].end": [remedies.add],
      },
    ],
  ])("the error for %s contains the field and the remedy", async (_, body, errors) =>
    expect(await rejectionErrors(body)).toEqual(errors),
  );

  test("a creation with too many workers is rejected without a lookup", async () => {
    knownWorkers.mockClear();
    const workerIds = Array.from({ length: 10_001 }, () => "unknown");
    expect(await rejectionErrors({ ...allFields, workerIds })).toEqual({ workerIds: ["Use at most 10000."] });
    expect(knownWorkers).not.toHaveBeenCalled();
  });
});

test("looks up only valid ids, each once", async () => {
  knownWorkers.mockClear();
  mayCreate.mockClear();
  await rejectionErrors({ ...allFields, createdByUserId: "\ud800", workerIds: ["ben", "", "ben", 7, "\0", "amal"] });
  expect(knownWorkers.mock.calls).toEqual([[["ben", "amal"]]]);
  for (const createdByUserId of ["", 7, null, "a\0"]) await rejectionErrors({ ...allFields, createdByUserId });
  expect(mayCreate).not.toHaveBeenCalled();
});
