import { randomUUID } from "node:crypto";
import { Kysely, PostgresDialect } from "kysely";
import pg from "pg";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { purgeExpired } from "../../src/retention.ts";
import { defaultRetention } from "../../src/settings/settings.ts";
import { migrationsOf } from "../../src/store/migrate.ts";
import { openStore } from "../../src/store/open-store.ts";
import type { Store } from "../../src/store/store.ts";
import { addOrganisation } from "../support/delivery-fixture.ts";
import { storesUnderTest } from "../support/stores/stores.ts";
import { fail } from "./use-retention.ts";

const dayMs = 86_400_000;
const weekMs = 7 * dayMs;
/** A Monday, later than the weeks which the migration adds. */
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

  test("are stored in the partition of their week, from the first and in the two weeks that come", async () => {
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

  test("go with their week, once its last day is 90 days ago; without one, each after 90 days", async () => {
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

  test("of a clock that runs ahead move into their week when it is added, by several processes at once", async () => {
    const ids = [await addAttempt(after(1)), await addAttempt(after(8)), await addAttempt(after(15))];
    expect(await tables()).toEqual(Array(3).fill("attempts_otherwise"));
    await Promise.all(Array.from({ length: 4 }, () => purge(monday)));
    expect(await tables()).toEqual([nameOf(monday), nameOf(after(7)), "attempts_otherwise"]);
    const { rows } = await store.execute("select delivery_id from attempts order by started_at");
    expect(rows.map(({ delivery_id }) => delivery_id)).toEqual(ids);
  });

  test("keep their week while a transaction reads them: others wait for it 200 ms at most, and all else expires", async () => {
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

describe.each(partitioned)("attempts of the version before weeks on $title", ({ createDatabase }) => {
  test("stay, in their order, are followed by new ones, and are forgotten one by one [D-140]", async () => {
    const database = await createDatabase("none");
    onTestFinished(() => database.remove());
    const pool = new pg.Pool({ connectionString: database.options.databaseUrl });
    const before = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) });
    const migrations = migrationsOf("postgres");
    const { "006-attempts-by-week": byWeek, ...earlier } = migrations;
    for (const migration of Object.values(earlier)) await migration.up(before);
    await pool.query("insert into organisations (id, name, kind) values ('acme', 'Acme', 'hirer')");
    const insert = `insert into attempts (delivery_id, organisation_id, method, path, started_at, duration_ms)
      values ('delivery', 'acme', 'GET', $1, $2, 5)`;
    const now = new Date();
    const daysAgo = (days: number): Date => new Date(now.getTime() - days * dayMs);
    for (const days of [91, 2, 0]) await pool.query(insert, [`/${days}-days`, daysAgo(days)]);
    await byWeek.up(before);
    await pool.query("create table kysely_migration (name varchar(255) primary key, timestamp varchar(255) not null)");
    for (const name of Object.keys(migrations))
      await pool.query("insert into kysely_migration values ($1, $2)", [name, now.toISOString()]);
    await before.destroy();

    const store = await openStore(database.options);
    onTestFinished(() => store.close());
    for (const [path, days] of [
      ["/new", 0],
      ["/next-week", -7],
      ["/later", -14],
    ] as const)
      await store.execute(insert, [path, daysAgo(days)]);
    const read = async (): Promise<unknown[]> =>
      (await store.execute("select path from attempts order by id")).rows.map(({ path }) => path);
    expect(await read()).toEqual(["/91-days", "/2-days", "/0-days", "/new", "/next-week", "/later"]);
    expect(await purgeExpired(store, now, defaultRetention, fail)).toBe(false);
    expect(await read()).toEqual(["/2-days", "/0-days", "/new", "/next-week", "/later"]);
    const { rows } = await store.execute("select distinct tableoid::regclass::text as name from attempts");
    expect(rows.map(({ name }) => name)).toContain("attempts_earlier");
    await purgeExpired(store, new Date(now.getTime() + 89 * dayMs), defaultRetention, fail);
    expect(await read()).toEqual(["/0-days", "/new", "/next-week", "/later"]);
  });
});
