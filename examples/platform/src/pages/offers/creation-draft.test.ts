import { expect, test } from "vitest";
import { creationOf, emptyDraft, readDraft } from "./creation-draft.ts";

test("empty fields are left out", () =>
  expect(creationOf({ ...emptyDraft(), title: "Bar" }, "user_hana")).toEqual({
    createdByUserId: "user_hana",
    title: "Bar",
    workerIds: [],
  }));

test("workers are the picked ones, then the typed ones with any separator", () => {
  const form = new URLSearchParams([
    ["worker", "worker_amal"],
    ["worker", "worker_ben"],
    ["moreWorkerIds", " worker_cleo\n\nworker_dana, 厨房 ;x"],
  ]);
  expect(creationOf(readDraft(form), "").workerIds).toEqual([
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
  ["2099-05-01T16:00:30.5", "2099-05-01T16:00:30.5Z"],
  ["tomorrow", "tomorrow"],
  ["", ""],
])("a slot from %j starts at %j", (start, expected) => {
  const form = new URLSearchParams([
    ["start", ""],
    ["end", ""],
    ["start", start],
    ["end", "2099-05-02T00:00"],
  ]);
  expect(creationOf(readDraft(form), "").events).toEqual([{ start: expected, end: "2099-05-02T00:00:00Z" }]);
});
