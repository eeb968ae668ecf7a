import { expect, test } from "vitest";
import { eventDeleted, timelineChanged } from "../../test/support/payloads.ts";
import { inputSchemas } from "../generated/payload-schemas.ts";
import { validate } from "./json-schema.ts";
import { readTolerantly } from "./tolerant-reader.ts";

const response = { offerId: "offer_1", workerId: "worker_amal", response: "accepted" };
const search = { userEmailAddresses: ["hana@harbour.example"] };

type Reading = [what: string, payload: object, expected: object, converted: string[]];

const readings = {
  "a worker's response": [
    inputSchemas["/offer/response"],
    [
      ["as in the contract", response, response, []],
      [
        "with numbers as ids",
        { ...response, offerId: 42, workerId: 0 },
        { ...response, offerId: "42", workerId: "0" },
        ["offerId", "workerId"],
      ],
      [
        "with the largest exact id",
        { ...response, offerId: 9007199254740991 },
        { ...response, offerId: "9007199254740991" },
        ["offerId"],
      ],
      [
        "with a large id as a bigint from another parser",
        { ...response, offerId: 12345678901234567890n },
        { ...response, offerId: "12345678901234567890" },
        ["offerId"],
      ],
      ["with a number as its response", { ...response, response: 1 }, { ...response, response: "1" }, ["response"]],
      [
        "with a decimal as its response",
        { ...response, response: -1.25 },
        { ...response, response: "-1.25" },
        ["response"],
      ],
      [
        "with unknown members",
        { ...response, offerId: 7, extra: null, more: [1] },
        { ...response, offerId: "7", extra: null, more: [1] },
        ["offerId"],
      ],
    ],
  ],
  "a deleted event": [
    inputSchemas["/offer/eventDeleted"],
    [
      [
        "with a date without a time",
        { ...eventDeleted, eventStart: "2099-05-01" },
        { ...eventDeleted, eventStart: "2099-05-01T00:00:00Z" },
        ["eventStart"],
      ],
    ],
  ],
  "a changed timeline": [
    inputSchemas["/events/timelineChanged"],
    [
      [
        "with a date for each time",
        { ...timelineChanged, periodStart: "2099-05-01", periodEnd: "2099-05-08" },
        timelineChanged,
        ["periodStart", "periodEnd"],
      ],
      [
        "with a number as a string",
        { ...timelineChanged, maxAvailableNow: "3.5" },
        { ...timelineChanged, maxAvailableNow: 3.5 },
        ["maxAvailableNow"],
      ],
      [
        "with several digits on both sides of the point",
        { ...timelineChanged, maxAvailableNow: "12.75" },
        { ...timelineChanged, maxAvailableNow: 12.75 },
        ["maxAvailableNow"],
      ],
      [
        "with a number as a string of 15 digits",
        { ...timelineChanged, maxAvailableNow: "123456789012345" },
        { ...timelineChanged, maxAvailableNow: 123456789012345 },
        ["maxAvailableNow"],
      ],
      [
        "with a negative number as a string",
        { ...timelineChanged, maxAvailableNow: "-3" },
        { ...timelineChanged, maxAvailableNow: -3 },
        ["maxAvailableNow"],
      ],
      [
        "with optional members that are empty",
        { ...timelineChanged, offerId: "", maxAvailableNow: "", maxAvailableNowCreated: "" },
        timelineChanged,
        ["offerId", "maxAvailableNow", "maxAvailableNowCreated"],
      ],
      [
        "with optional members that are null",
        { ...timelineChanged, offerId: null, maxAvailableNow: null },
        timelineChanged,
        [],
      ],
    ],
  ],
  "a search": [
    inputSchemas["/contact-suggestions"],
    [
      [
        "with an address in place of a list",
        { userEmailAddresses: "hana@harbour.example" },
        search,
        ["userEmailAddresses"],
      ],
      [
        "with a padded address in place of a list",
        { userEmailAddresses: " hana@harbour.example" },
        search,
        ["userEmailAddresses[0]", "userEmailAddresses"],
      ],
      [
        "with null and empty entries",
        { userEmailAddresses: [null, "hana@harbour.example", "", null] },
        search,
        ["userEmailAddresses[0]", "userEmailAddresses[2]", "userEmailAddresses[3]"],
      ],
      [
        "with white space around an address",
        { userEmailAddresses: ["hana@harbour.example\n"] },
        search,
        ["userEmailAddresses[0]"],
      ],
      ["with a number as its filter", { ...search, filter: 7 }, { ...search, filter: "7" }, ["filter"]],
    ],
  ],
} as const satisfies Record<string, readonly [unknown, readonly Reading[]]>;

for (const [name, [schema, cases]] of Object.entries(readings))
  test.each<Reading>(cases as unknown as Reading[])(`${name} %s is read`, (_, payload, expected, converted) => {
    const before = structuredClone(payload);
    const reading = readTolerantly(schema, payload);
    expect(reading).toStrictEqual({ data: expected, converted });
    // The payload itself must not change, because it may belong to a framework.
    expect(payload).toStrictEqual(before);
  });

const rejected: [what: string, schema: keyof typeof readings, payload: unknown][] = [
  ["an id that was rounded", "a worker's response", { ...response, offerId: JSON.parse("12345678901234567890") }],
  [
    "an id that was rounded to an integer of 17 digits",
    "a worker's response",
    { ...response, offerId: -9007199254740992 },
  ],
  ["a decimal of more than 15 digits", "a worker's response", { ...response, response: 0.1234567890123456 }],
  ["a number with an exponent", "a worker's response", { ...response, response: 1e-7 }],
  ["NaN", "a worker's response", { ...response, response: Number.NaN }],
  ["a boolean as an id", "a worker's response", { ...response, offerId: true }],
  ["an object as an id", "a worker's response", { ...response, offerId: { id: "offer_1" } }],
  ["a list as an id", "a worker's response", { ...response, offerId: ["offer_1"] }],
  ["a list with one number as an id", "a worker's response", { ...response, offerId: [7] }],
  ["null as an id", "a worker's response", { ...response, offerId: null }],
  ["an empty id", "a worker's response", { ...response, offerId: "" }],
  ["no id", "a worker's response", { workerId: "worker_amal", response: "accepted" }],
  ["no response", "a worker's response", { offerId: "offer_1", workerId: 7 }],
  ["null as a response", "a worker's response", { ...response, response: null }],
  ["no payload", "a worker's response", null],
  ["a string", "a worker's response", "accepted"],
  ["a list", "a worker's response", [response]],
  ["a time without a zone", "a deleted event", { ...eventDeleted, eventStart: "2099-05-01T16:00:00" }],
  ["a date that does not exist", "a deleted event", { ...eventDeleted, eventStart: "2099-02-30" }],
  ["a date with a letter before it", "a deleted event", { ...eventDeleted, eventStart: "x2099-05-01" }],
  ["a date with a letter after it", "a deleted event", { ...eventDeleted, eventStart: "2099-05-01x" }],
  ["seconds since 1970", "a deleted event", { ...eventDeleted, eventStart: 4081420800 }],
  ["an empty time", "a deleted event", { ...eventDeleted, eventStart: "" }],
  ["a word in place of a number", "a changed timeline", { ...timelineChanged, maxAvailableNow: "many" }],
  ["a number with a unit", "a changed timeline", { ...timelineChanged, maxAvailableNow: "3h" }],
  ["a number with a plus sign", "a changed timeline", { ...timelineChanged, maxAvailableNow: "+3" }],
  [
    "a number as a string of more than 15 digits",
    "a changed timeline",
    { ...timelineChanged, maxAvailableNow: "1234567890123456" },
  ],
  ["a list in place of a number", "a changed timeline", { ...timelineChanged, maxAvailableNow: ["3"] }],
  ["a bigint in place of a number", "a changed timeline", { ...timelineChanged, maxAvailableNow: 3n }],
  ["a boolean in place of a number", "a changed timeline", { ...timelineChanged, maxAvailableNow: true }],
  ["an unreadable optional time", "a changed timeline", { ...timelineChanged, maxAvailableNowCreated: "soon" }],
  ["neither addresses nor a filter", "a search", {}],
  ["a filter without addresses", "a search", { filter: "chef" }],
  ["a filter of another type without addresses", "a search", { filter: 7 }],
  ["a filter with null as addresses", "a search", { filter: "chef", userEmailAddresses: null }],
  ["a filter with an empty string as addresses", "a search", { filter: "chef", userEmailAddresses: "" }],
  ["an object in place of a list", "a search", { userEmailAddresses: { 0: "hana@harbour.example" } }],
  ["a number in place of a list", "a search", { filter: "chef", userEmailAddresses: 1 }],
  ["a number as an address", "a search", { userEmailAddresses: [7] }],
  ["a list as an address", "a search", { userEmailAddresses: [["hana@harbour.example"]] }],
  ["an address with white space in it", "a search", { userEmailAddresses: ["ha na@harbour.example"] }],
  ["a string that is not an address", "a search", { userEmailAddresses: "hana" }],
  ["a padded string that is not an address", "a search", { userEmailAddresses: " hana " }],
  ["a boolean as a filter", "a search", { ...search, filter: false }],
];

test.each(rejected)("%s in %s is rejected, with the schema's issues [D-125]", (_, name, payload) => {
  const [schema] = readings[name];
  const { issues } = validate(schema, payload);
  expect(issues.length).toBeGreaterThan(0);
  expect(readTolerantly(schema, payload)).toEqual({ issues });
});

test("a payload is converted entirely or not at all", () =>
  expect(readTolerantly(inputSchemas["/offer/response"], { ...response, offerId: 7, workerId: true })).toEqual({
    issues: [expect.objectContaining({ path: ["offerId"] }), expect.objectContaining({ path: ["workerId"] })],
  }));

test.each([null, undefined])("%s in place of a list is rejected", (payload) =>
  expect(readTolerantly({ type: "array", items: { type: "string" } }, payload)).toEqual({
    issues: [expect.objectContaining({ expected: "array", path: [] })],
  }),
);
