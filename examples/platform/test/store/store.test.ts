import { join } from "node:path";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openStore } from "../../src/store/open-store.ts";
import { PgliteConnection } from "../../src/store/pglite/pglite-connection.ts";
import { PgliteThread } from "../../src/store/pglite/pglite-thread.ts";
import { PriorityMutex } from "../../src/store/pglite/priority-mutex.ts";
import type { Store } from "../../src/store/store.ts";
import { addOrganisation } from "../support/delivery-fixture.ts";
import { storesUnderTest, type TestDatabase } from "../support/stores/stores.ts";

describe.each(await storesUnderTest())("the store on $title", ({ title, createDatabase }) => {
  let database: TestDatabase;
  let opened: PromiseSettledResult<Store>[];
  let store: Store;

  beforeAll(async () => {
    database = await createDatabase("none");
    const open = () => openStore({ ...database.options, transactionLimitMs: 500 });
    opened = await Promise.allSettled([open(), open()]);
    const [first, ...others] = opened.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
    for (const other of others) await other.close();
    if (first === undefined) throw new Error("no store was opened");
    store = first;
  });
  afterAll(async () => {
    await store.close();
    await database.remove();
  });

  const organisations = (name: string) =>
    store.db.selectFrom("organisations").select("id").where("name", "=", name).execute();

  test("identifies itself", () => expect(store.label).toContain(title));

  test("commits a whole transaction or nothing of it", async () => {
    await store.transaction((trx) =>
      trx.insertInto("organisations").values({ id: "o1", name: "kept", kind: "hirer" }).execute(),
    );
    const broken = store.transaction(async (trx) => {
      await trx.insertInto("organisations").values({ id: "o2", name: "lost", kind: "hirer" }).execute();
      throw new Error("changed my mind");
    });
    await expect(broken).rejects.toThrow("changed my mind");
    expect(await organisations("kept")).toHaveLength(1);
    expect(await organisations("lost")).toHaveLength(0);
  });

  // PGlite has one connection, so no other transaction commits meanwhile.
  if (title !== "PGlite")
    test("runs transactions at read committed, whatever the database's default, and ends those of a stalled process", async () => {
      const name = new URL(database.options.databaseUrl ?? "").pathname.slice(1);
      await store.execute(`alter database ${name} set default_transaction_isolation to 'repeatable read'`);
      const later = await openStore(database.options);
      const settingsIn = ({ transaction }: Pick<Store, "transaction">) =>
        transaction(async (trx) => {
          const { rows } = await sql<{ isolation: string; idle: string }>`select
          current_setting('transaction_isolation') as isolation,
          current_setting('idle_in_transaction_session_timeout') as idle`.execute(trx);
          return rows[0];
        });
      expect(await settingsIn(later)).toEqual({ isolation: "read committed", idle: "30s" });
      // The limit is short, because a process that stalls in background work holds locks that others wait for.
      expect(await settingsIn(later.background)).toEqual({ isolation: "read committed", idle: "2s" });
      await later.close();
    });

  test("gives database errors their SQLSTATE", async () => {
    const organisation = { id: "twice", name: "twice", kind: "hirer" } as const;
    await store.db.insertInto("organisations").values(organisation).execute();
    // 23505 is unique_violation: https://www.postgresql.org/docs/current/errcodes-appendix.html
    await expect(store.db.insertInto("organisations").values(organisation).execute()).rejects.toMatchObject({
      code: "23505",
      table: "organisations",
    });
  });

  test("reports an error when it commits a transaction with a failed statement", async () => {
    const swallowed = store.transaction(async (trx) => {
      await trx.insertInto("organisations").values({ id: "o3", name: "swallowed", kind: "hirer" }).execute();
      await sql`select 1 / 0`.execute(trx).catch(() => undefined);
    });
    await expect(swallowed).rejects.toThrow();
    expect(await organisations("swallowed")).toHaveLength(0);
  });

  test("rolls back a transaction that is open too long, and suggests the cause", async () => {
    const slow = store.transaction(async (trx) => {
      await trx.insertInto("organisations").values({ id: "o4", name: "slow", kind: "hirer" }).execute();
      await new Promise(() => undefined);
    });
    await expect(slow).rejects.toMatchObject({
      code: "transaction_overdue",
      message: expect.stringContaining("only trx"),
    });
    expect(await organisations("slow")).toHaveLength(0);
  });

  test("rejects statements after one that took too long, which would run after the rollback and outside the transaction", async () => {
    let ask = (_result: unknown): void => undefined;
    const asked = new Promise((resolve) => {
      ask = resolve;
    });
    const slow = store.transaction(async (trx) => {
      await sql`select pg_sleep(0.7)`.execute(trx);
      const late = trx.insertInto("organisations").values({ id: "o5", name: "late", kind: "hirer" }).execute();
      ask(await late.catch((error: unknown) => error));
    });
    await expect(slow).rejects.toMatchObject({ code: "database_lost" });
    expect(await asked).toMatchObject({ code: "database_lost" });
    expect(await organisations("late")).toHaveLength(0);
  });

  test("rejects a statement of a finished transaction", async () => {
    let leaked: Parameters<Parameters<Store["transaction"]>[0]>[0] | undefined;
    await store.transaction(async (trx) => {
      leaked = trx;
    });
    await expect(leaked?.selectFrom("organisations").selectAll().execute()).rejects.toThrow(/committed/);
  });

  test("runs concurrent transactions", async () => {
    const ids = Array.from({ length: 20 }, (_, index) => `parallel-${index}`);
    const add = (id: string) =>
      store.transaction(async (trx) => {
        await trx.insertInto("organisations").values({ id, name: "parallel", kind: "hirer" }).execute();
        await trx.selectFrom("organisations").select("id").where("id", "=", id).executeTakeFirstOrThrow();
      });
    await Promise.all(ids.map(add));
    expect(await organisations("parallel")).toHaveLength(20);
  });

  test("reads counts as numbers and times as dates", async () => {
    await addOrganisation(store);
    const { rows } = await sql<{ count: number; newest: Date }>`
      select count(*) as count, max(created_at) as newest from organisations`.execute(store.db);
    expect(rows[0]).toEqual({ count: expect.any(Number), newest: expect.any(Date) });
  });

  test("defaults a recipient's response to none, and allows only the documented values", async () => {
    const organisationId = await addOrganisation(store);
    await store.execute("insert into workers (id, name, password_hash) values ('amal', 'Amal', '')");
    await store.execute(
      `insert into offers (id, organisation_id, created_by_user_id, title, details, location_place_id, events)
      values ('offer-1', $1, 'user-1', 'Night shift', '', '', '[]')`,
      [organisationId],
    );
    await store.execute("insert into recipients (offer_id, worker_id) values ('offer-1', 'amal')");
    const { rows } = await store.execute("select response, confirmation from recipients where worker_id = 'amal'");
    expect(rows).toEqual([{ response: "none", confirmation: "" }]);
    // 23514 is check_violation: https://www.postgresql.org/docs/current/errcodes-appendix.html
    for (const column of ["response", "confirmation"])
      await expect(store.execute(`update recipients set ${column} = 'accepted'`)).rejects.toMatchObject({
        code: "23514",
      });
  });

  test("can be created by several processes at the same time, but PGlite's folder only by one", () => {
    const refusals = opened.flatMap((result) => (result.status === "rejected" ? [result.reason] : []));
    expect(refusals).toHaveLength(store.name === "pglite" ? 1 : 0);
    for (const refusal of refusals)
      expect(refusal).toMatchObject({ code: "data_folder_in_use", message: expect.stringContaining("DATABASE_URL") });
  });
});

test("a PGlite transaction that cannot be rolled back reports the original error first", async () => {
  const [pglite] = await storesUnderTest();
  const database = (await pglite?.createDatabase()) as TestDatabase;
  const thread = new PgliteThread(join(database.options.dataFolder, "pglite"), () => undefined);
  const lane = new PgliteConnection(thread, new PriorityMutex(), "foreground");
  await lane.waitReady;
  const broken = lane.transaction(async () => {
    thread.closed = true;
    throw new Error("the first");
  });
  await expect(broken).rejects.toThrow("the first");
  thread.closed = false;
  await lane.close();
  await database.remove();
});
