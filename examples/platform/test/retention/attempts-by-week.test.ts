import { randomUUID } from "node:crypto";
import pg from "pg";
import { beforeEach, describe, expect, test } from "vitest";
import { purgeExpired } from "../../src/retention.ts";
import { defaultRetention } from "../../src/settings/settings.ts";
import { openStore } from "../../src/store/open-store.ts";
import type { Store } from "../../src/store/store.ts";
import { addOrganisation } from "../support/delivery-fixture.ts";
import { storesUnderTest } from "../support/stores/stores.ts";
import { rethrow } from "./use-retention.ts";

const dayMs = 86_400_000;
const weekMs = 7 * dayMs;
/** A Monday after the weeks for which the migration adds partitions. Unix time started on a Thursday, 4 days before a Monday. */
const monday = new Date(Math.ceil(Date.now() / weekMs) * weekMs + 8 * weekMs + 4 * dayMs);
const daysAfterMonday = (days: number): Date => new Date(monday.getTime() + days * dayMs);
const formatPartitionName = (day: Date): string => `attempts_${day.toISOString().slice(0, 10).replaceAll("-", "_")}`;

const partitionedStores = (await storesUnderTest()).filter(({ title }) => title !== "PGlite");

describe.each(partitionedStores)("attempts by week on $title [D-140]", ({ createDatabase }) => {
  let store: Store;
  let databaseUrl: string;
  let organisationId: string;
  beforeEach(async () => {
    const database = await createDatabase();
    databaseUrl = database.options.databaseUrl ?? "";
    store = await openStore(database.options);
    organisationId = await addOrganisation(store);
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
      [id, organisationId, startedAt],
    );
    return id;
  };
  const readPartitions = async (): Promise<string[]> => {
    const { rows } = await store.execute("select tableoid::regclass::text as name from attempts order by started_at");
    return rows.map(({ name }) => String(name));
  };
  const purge = async (now: Date, onError: (error: unknown) => void = rethrow): Promise<void> => {
    let hasMore = true;
    while (hasMore) hasMore = await purgeExpired(store, now, defaultRetention, onError);
  };

  test("attempts are stored in the partition of their week, for the current week and the following weeks", async () => {
    const now = Date.now();
    for (const time of [now, now + weekMs]) await addAttempt(new Date(time));
    const mondayOf = (time: number): Date => new Date(Math.floor((time - 4 * dayMs) / weekMs) * weekMs + 4 * dayMs);
    expect(mondayOf(now).getUTCDay()).toBe(1);
    expect(await readPartitions()).toEqual([
      formatPartitionName(mondayOf(now)),
      formatPartitionName(mondayOf(now + weekMs)),
    ]);

    await purge(monday);
    for (const days of [0, 6.99, 7, 13.99]) await addAttempt(daysAfterMonday(days));
    const expectedPartitions = [monday, monday, daysAfterMonday(7), daysAfterMonday(7)].map(formatPartitionName);
    expect((await readPartitions()).slice(2)).toEqual(expectedPartitions);
  });

  test("attempts are deleted with their week once its last day is 90 days old, and attempts without a partition after 90 days", async () => {
    await purge(monday);
    for (const days of [0, 6.5, 30]) await addAttempt(daysAfterMonday(days));
    await purge(daysAfterMonday(96.9));
    expect(await readPartitions()).toEqual([
      formatPartitionName(monday),
      formatPartitionName(monday),
      "attempts_otherwise",
    ]);
    await purge(daysAfterMonday(97));
    expect(await readPartitions()).toEqual(["attempts_otherwise"]);
    await purge(daysAfterMonday(119.9));
    expect(await readPartitions()).toEqual(["attempts_otherwise"]);
    await purge(daysAfterMonday(120));
    expect(await readPartitions()).toEqual([]);
  });

  test("attempts from a fast clock move into the partition of their week when it is added, even by several processes in parallel", async () => {
    const ids = [
      await addAttempt(daysAfterMonday(1)),
      await addAttempt(daysAfterMonday(8)),
      await addAttempt(daysAfterMonday(15)),
    ];
    expect(await readPartitions()).toEqual(Array(3).fill("attempts_otherwise"));
    await Promise.all(Array.from({ length: 4 }, () => purge(monday)));
    expect(await readPartitions()).toEqual([
      formatPartitionName(monday),
      formatPartitionName(daysAfterMonday(7)),
      "attempts_otherwise",
    ]);
    const { rows } = await store.execute("select delivery_id from attempts order by started_at");
    expect(rows.map(({ delivery_id }) => delivery_id)).toEqual(ids);
  });

  test("a transaction that reads attempts delays only the deletion of their week, which gives up with a lock timeout", async () => {
    await purge(monday);
    await addAttempt(daysAfterMonday(0));
    await store.db
      .insertInto("mails")
      .values({ to_address: "ann@acme.example", subject: "", body: "", created_at: monday, sent_at: monday })
      .execute();
    const reader = new pg.Client({ connectionString: databaseUrl });
    await reader.connect();
    await reader.query("begin");
    await reader.query("select from attempts");
    const errors: unknown[] = [];
    await purge(daysAfterMonday(100), (error) => errors.push(error));
    expect(errors.map(String)).toEqual([expect.stringContaining("lock timeout")]);
    expect(await readPartitions()).toEqual([formatPartitionName(monday)]);
    expect((await store.execute("select from mails")).rows).toEqual([]);
    await reader.query("commit");
    await reader.end();
    await purge(daysAfterMonday(100));
    expect(await readPartitions()).toEqual([]);
  });
});
