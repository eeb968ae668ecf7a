import { randomUUID } from "node:crypto";
import pg from "pg";
import { beforeEach, describe, expect, test } from "vitest";
import { purgeExpired } from "../../src/retention.ts";
import { defaultRetention } from "../../src/settings/settings.ts";
import { openStore } from "../../src/store/open-store.ts";
import type { Store } from "../../src/store/store.ts";
import { addOrganisation } from "../support/delivery-fixture.ts";
import { storesUnderTest } from "../support/stores/stores.ts";
import { fail } from "./use-retention.ts";

const dayMs = 86_400_000;
const weekMs = 7 * dayMs;
/** A Monday after the weeks that the migration adds partitions for. */
const monday = new Date(Math.ceil(Date.now() / weekMs) * weekMs + 8 * weekMs + 4 * dayMs);
const after = (days: number): Date => new Date(monday.getTime() + days * dayMs);
const nameOf = (day: Date): string => `attempts_${day.toISOString().slice(0, 10).replaceAll("-", "_")}`;

const partitioned = (await storesUnderTest()).filter(({ title }) => title !== "PGlite");

describe.each(partitioned)("attempts by week on $title [D-140]", ({ createDatabase }) => {
  let store: Store;
  let databaseUrl: string;
  let organisation: string;
  beforeEach(async () => {
    const database = await createDatabase();
    databaseUrl = database.options.databaseUrl ?? "";
    store = await openStore(database.options);
    organisation = await addOrganisation(store);
    return async () => {
      await store.close();
      await database.remove();
    };
  });

  const addAttempt = async (startedAt: Date): Promise<string> => {
    const id = randomUUID();
    await store.execute(
      `insert into attempts (delivery_id, organisation_id, method, path, started_at, duration_ms)
       values ($1, $2, 'GET', '/test', $3, 5)`,
      [id, organisation, startedAt],
    );
    return id;
  };
  const tables = async (): Promise<string[]> => {
    const { rows } = await store.execute("select tableoid::regclass::text as name from attempts order by started_at");
    return rows.map(({ name }) => String(name));
  };
  const purge = async (now: Date, onError: (error: unknown) => void = fail): Promise<void> => {
    while (await purgeExpired(store, now, defaultRetention, onError));
  };

  test("are stored in the partition of their week, in the first one and the two that follow", async () => {
    const now = Date.now();
    for (const at of [now, now + weekMs]) await addAttempt(new Date(at));
    const mondayOf = (at: number): Date => new Date(Math.floor((at - 4 * dayMs) / weekMs) * weekMs + 4 * dayMs);
    expect(mondayOf(now).getUTCDay()).toBe(1);
    expect(await tables()).toEqual([nameOf(mondayOf(now)), nameOf(mondayOf(now + weekMs))]);

    await purge(monday);
    for (const days of [0, 6.99, 7, 13.99]) await addAttempt(after(days));
    const weeks = [monday, monday, after(7), after(7)].map(nameOf);
    expect((await tables()).slice(2)).toEqual(weeks);
  });

  test("are deleted with their week once its last day is 90 days old, and otherwise each after 90 days", async () => {
    await purge(monday);
    for (const days of [0, 6.5, 30]) await addAttempt(after(days));
    await purge(after(96.9));
    expect(await tables()).toEqual([nameOf(monday), nameOf(monday), "attempts_otherwise"]);
    await purge(after(97));
    expect(await tables()).toEqual(["attempts_otherwise"]);
    await purge(after(119.9));
    expect(await tables()).toEqual(["attempts_otherwise"]);
    await purge(after(120));
    expect(await tables()).toEqual([]);
  });

  test("of a fast clock move into their week when it is added, even by several processes in parallel", async () => {
    const ids = [await addAttempt(after(1)), await addAttempt(after(8)), await addAttempt(after(15))];
    expect(await tables()).toEqual(Array(3).fill("attempts_otherwise"));
    await Promise.all(Array.from({ length: 4 }, () => purge(monday)));
    expect(await tables()).toEqual([nameOf(monday), nameOf(after(7)), "attempts_otherwise"]);
    const { rows } = await store.execute("select delivery_id from attempts order by started_at");
    expect(rows.map(({ delivery_id }) => delivery_id)).toEqual(ids);
  });

  test("keep their week while a transaction reads them: others wait at most 200 ms, and all else expires", async () => {
    await purge(monday);
    await addAttempt(after(0));
    await store.db
      .insertInto("mails")
      .values({ to_address: "ann@acme.example", subject: "", body: "", created_at: monday, sent_at: monday })
      .execute();
    const reader = new pg.Client({ connectionString: databaseUrl });
    await reader.connect();
    await reader.query("begin");
    await reader.query("select from attempts");
    const errors: unknown[] = [];
    await purge(after(100), (error) => errors.push(error));
    expect(errors.map(String)).toEqual([expect.stringContaining("lock timeout")]);
    expect(await tables()).toEqual([nameOf(monday)]);
    expect((await store.execute("select from mails")).rows).toEqual([]);
    await reader.query("commit");
    await reader.end();
    await purge(after(100));
    expect(await tables()).toEqual([]);
  });
});
