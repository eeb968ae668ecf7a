import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { openPlatform } from "../support/platform-under-test.ts";
import { respondWith } from "../support/receiver.ts";
import { recordStatements } from "../support/statements.ts";
import { storesUnderTest } from "../support/stores/stores.ts";
import { useDatabase, useReceiver } from "../support/use-opened.ts";

// What a PostgreSQL that is distributed over several machines needs of each statement, so that one of them runs it alone: see "Go
// beyond one PostgreSQL" in docs/guides/scaling.md.

/**
 * The column by which each table would be distributed. Tables that are not here would be on every machine, but `mails`, which is of no
 * organisation: it is one lane, and would be on one.
 */
const keys: Readonly<Record<string, string>> = {
  offers: "organisation_id",
  places: "organisation_id",
  // These two do not have the column yet.
  recipients: "organisation_id",
  notifications: "organisation_id",
  idempotency_keys: "organisation_id",
  endpoints: "organisation_id",
  events: "organisation_id",
  event_feeds: "organisation_id",
  deliveries: "organisation_id",
  attempts: "organisation_id",
  outbox_wakeups: "shard|lane",
  outbox_leases: "lane",
  outbox_lanes: "lane",
};

/** Why a statement may concern several organisations or shards, by a fragment of it. */
const exceptions: readonly [fragment: string, because: string][] = [
  ["set_config('synchronous_commit', 'off', true)", "chooses shards: it reads the first wake-up of each"],
  ["as lapse from (", "an idle process sleeps until the first wake-up of any shard"],
  ["with woken as materialized", "names the shards that it holds, of which there are as many as fill the claim"],
  [
    "with ended as ( select id from outbox_processes",
    "takes over from a process that died: twice a second at most, by process",
  ],
  ["with shared as materialized", "ends the leases of a group of attempts, by row; the group is of several endpoints"],
  ["as lease (lane text", "loads a claim; each row by its organisation"],
  ["insert into attempts", "settles a group of attempts; each row by its organisation"],
  ["as key (organisation_id text, order_key text)", "releases what waited for a group; each row by its organisation"],
  ["::text::json) as given (lane)", "wakes lanes: one in each transaction of a hot path"],
  ["update mails", "wakes the lane of the mails"],
  ["update endpoints", "stores the health of a group's endpoints; each by its organisation"],
  ["(select json_array_elements_text($1::text::json) as id) as given", "places events in feeds: one reader's is given"],
  ['"recipients"', "found by its offer: the table needs the column organisation_id"],
  ["insert into recipients", "found by its offer: the table needs the column organisation_id"],
  ["insert into notifications", "found by its offer: the table needs the column organisation_id"],
  ["notifications.id = any", "a group of pushes: the table needs the column organisation_id"],
  ["update notifications", "a group of pushes: the table needs the column organisation_id"],
];

/** @returns the tables of which the statement names neither one organisation nor one shard */
function crossed(text: string): string[] {
  return Object.entries(keys)
    .filter(([table, key]) => {
      const isUsed = new RegExp(`\\b(from|join|update|into|using) "?${table}"?(?!\\w)`).test(text);
      const isCompared = new RegExp(`\\b(${key})"? (= \\$\\d+|in \\(\\$\\d+\\))`).test(text);
      const isInserted = new RegExp(`insert into "?${table}"? \\([^)]*\\b(${key})\\b[^)]*\\) values \\(`).test(text);
      return isUsed && !isCompared && !isInserted;
    })
    .map(([table]) => table);
}

const exceptionOf = (text: string) => exceptions.find(([fragment]) => text.includes(fragment));

test("a statement that names one organisation crosses nothing, and one that names none does", () => {
  expect(crossed("select * from offers where id = $1 and organisation_id = $2")).toEqual([]);
  expect(crossed('insert into "events" ("id", "organisation_id") values ($1, $2)')).toEqual([]);
  expect(crossed("select from outbox_wakeups where queue = $1 and shard = $2")).toEqual([]);
  expect(crossed('select "id" from "workers" where "id" in ($1, $2)')).toEqual([]);
  expect(crossed("select * from offers where id = $1")).toEqual(["offers"]);
  expect(crossed("update deliveries set due_at = now() where sequence = any ($1)")).toEqual(["deliveries"]);
  expect(crossed('select from "events" where "organisation_id" in ($1, $2)')).toEqual(["events"]);
});

const shared = (await storesUnderTest()).filter(({ title }) => title !== "PGlite");

describe.each(shared)("the statements of a journey on $title", ({ createDatabase }) => {
  const database = useDatabase(createDatabase);
  const receiver = useReceiver();
  const key = "demo-key-harbour";

  test("name one organisation or one shard, but those that have a reason not to", async ({ onTestFinished }) => {
    const statements = recordStatements();
    const platform = await openPlatform(database);
    onTestFinished(() => platform.close());
    // Retention is no journey, but starts with the platform; it comes again ten minutes later.
    const isLastOfRetention = ({ text }: { text: string }) => text.includes("first.due_at, lane from outbox_lanes");
    await eventually("retention has found nothing", () => statements.some(isLastOfRetention));
    const manager = await platform.signInPerson("hana@harbour-hotels.example");
    const profile = { baseAddress: receiver.baseAddress, secret: randomUUID(), suggestsContacts: false };
    await platform.call("PUT", "/portal/profile", { token: manager, json: profile });
    const workerIds = ["worker_amal", "worker_ben"];
    for (const workerId of workerIds) await platform.signInWorker(workerId);
    receiver.requests.length = 0;
    statements.length = 0;

    const call = async (method: string, path: string, options: Parameters<typeof platform.call>[2]) => {
      const response = await platform.call(method, path, options);
      expect(response.status, `${method} ${path}: ${response.text}`).toBeLessThan(300);
      return response;
    };
    const offer = {
      createdByUserId: "user_hana",
      title: "Bar",
      workerIds,
      notifyEmailAddress: "hana@harbour-hotels.example",
    };
    const headers = { "Idempotency-Key": randomUUID() };
    const { id } = (await call("POST", "/offer?api-version=1.0", { key, json: offer, headers })).json<{ id: string }>();
    receiver.respond = respondWith(503);
    for (const workerId of workerIds) {
      await call("POST", `/worker-app/offers/${id}/apply`, { token: await platform.signInWorker(workerId) });
      await eventually("an attempt is made", () => receiver.requests.length > 0);
      receiver.respond = respondWith(200);
    }
    await eventually("the failed attempt is repeated", () => receiver.requests.length >= 3);
    await call("GET", `/offer/${id}?api-version=1.0`, { key });
    await call("GET", "/events", { key });
    await call("POST", `/offer/${id}/complete?api-version=1.0`, { key, json: workerIds.slice(0, 1) });

    const crossing = () =>
      [...new Set(statements.map(({ text }) => text.replaceAll(/\s+/g, " ").trim()))].filter(
        (text) => crossed(text).length > 0,
      );
    for (const exception of exceptions)
      await eventually(`a statement ${exception}`, () => crossing().some((text) => exceptionOf(text) === exception));
    expect(crossing().filter((text) => exceptionOf(text) === undefined)).toEqual([]);
  });
});
