import { expect, test } from "vitest";
import { localTimes } from "../layout/time.ts";
import { emptyDraft, readDraft, toCreation } from "./creation-draft.ts";

test("omits empty fields from the request body", () =>
  expect(toCreation({ ...emptyDraft(), title: "Bar" }, "user_hana", localTimes("UTC"))).toEqual({
    createdByUserId: "user_hana",
    title: "Bar",
    workerIds: [],
  }));

test("lists the selected worker ids before the entered ids, which commas, semicolons or line breaks separate", () => {
  const form = new URLSearchParams([
    ["worker", "worker_amal"],
    ["worker", "worker_ben"],
    ["moreWorkerIds", " worker_cleo\n\nworker_dana, 厨房 ;x"],
  ]);
  expect(toCreation(readDraft(form), "", localTimes("UTC")).workerIds).toEqual([
    "worker_amal",
    "worker_ben",
    "worker_cleo",
    "worker_dana",
    "厨房",
    "x",
  ]);
});

test.each([
  ["2099-05-01T16:00", "2099-05-01T16:00:00Z"],
  ["2099-05-01T16:00:30", "2099-05-01T16:00:30Z"],
  ["2099-05-01T16:00:30.5", "2099-05-01T16:00:30.500Z"],
  ["tomorrow", "tomorrow"],
  ["", ""],
])("converts the start %j of a time slot to %j", (start, expected) => {
  const form = new URLSearchParams([
    ["start", ""],
    ["end", ""],
    ["start", start],
    ["end", "2099-05-02T00:00"],
  ]);
  expect(toCreation(readDraft(form), "", localTimes("UTC")).events).toEqual([
    { start: expected, end: "2099-05-02T00:00:00Z" },
  ]);
});

// The expected values follow from clock changes in the IANA time zone database, as shown on timeanddate.com.
test.each([
  ["Europe/London", "2027-03-27T22:00", "2027-03-28T06:00", "2027-03-27T22:00:00Z", "2027-03-28T05:00:00Z"],
  ["America/St_Johns", "2027-03-13T22:00", "2027-03-14T06:00", "2027-03-14T01:30:00Z", "2027-03-14T08:30:00Z"],
  ["Pacific/Chatham", "2027-04-03T22:00", "2027-04-04T06:00", "2027-04-03T08:15:00Z", "2027-04-03T17:15:00Z"],
])("in %s converts a shift from %s to %s across a clock change to UTC: %s to %s", (timeZone, start, end, from, to) => {
  const form = new URLSearchParams({ start, end });
  expect(toCreation(readDraft(form), "", localTimes(timeZone)).events).toEqual([{ start: from, end: to }]);
});
