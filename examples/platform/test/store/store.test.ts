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
  let openResults: PromiseSettledResult<Store>[];
  let store: Store;

  beforeAll(async () => {
    database = await createDatabase("none");
    const open = () => openStore({ ...database.options, transactionLimitMs: 500 });
    openResults = await Promise.allSettled([open(), open()]);
    const [firstStore, ...otherStores] = openResults.flatMap((result) =>
      result.status === "fulfilled" ? [result.value] : [],
    );
    for (const otherStore of otherStores) await otherStore.close();
    if (firstStore === undefined) throw new Error("no store was opened");
    store = firstStore;
  });
  afterAll(async () => {
    await store.close();
    await database.remove();
  });

  const findOrganisations = (name: string) =>
    store.db.selectFrom("organisations").select("id").where("name", "=", name).execute();

  test("the store's label names the database", () => expect(store.label).toContain(title));

  test("the store commits a transaction as a whole or not at all", async () => {
    await store.transaction((trx) =>
      trx.insertInto("organisations").values({ id: "o1", name: "kept", kind: "hirer" }).execute(),
    );
    const failedTransaction = store.transaction(async (trx) => {
      await trx.insertInto("organisations").values({ id: "o2", name: "lost", kind: "hirer" }).execute();
      throw new Error("changed my mind");
    });
    await expect(failedTransaction).rejects.toThrow("changed my mind");
    expect(await findOrganisations("kept")).toHaveLength(1);
    expect(await findOrganisations("lost")).toHaveLength(0);
  });

  // PGlite has only one connection, so its transactions never overlap.
  if (title !== "PGlite")
    test("the store runs transactions at read committed, regardless of the database default, and ends transactions of a stalled process", async () => {
      const name = new URL(database.options.databaseUrl ?? "").pathname.slice(1);
      await store.execute(`alter database ${name} set default_transaction_isolation to 'repeatable read'`);
      const reopened = await openStore(database.options);
      const readSettings = ({ transaction }: Pick<Store, "transaction">) =>
        transaction(async (trx) => {
          const { rows } = await sql<{ isolation: string; idle: string }>`select
          current_setting('transaction_isolation') as isolation,
          current_setting('idle_in_transaction_session_timeout') as idle`.execute(trx);
          return rows[0];
        });
      for (const lane of [reopened, reopened.background])
        expect(await readSettings(lane)).toEqual({ isolation: "read committed", idle: "2s" });
      await reopened.close();
    });

  test("database errors have their SQLSTATE as code", async () => {
    const organisation = { id: "twice", name: "twice", kind: "hirer" } as const;
    await store.db.insertInto("organisations").values(organisation).execute();
    // 23505 is unique_violation: https://www.postgresql.org/docs/current/errcodes-appendix.html
    await expect(store.db.insertInto("organisations").values(organisation).execute()).rejects.toMatchObject({
      code: "23505",
      table: "organisations",
    });
  });

  test("the store reports an error when it commits a transaction with a failed statement", async () => {
    const transaction = store.transaction(async (trx) => {
      await trx.insertInto("organisations").values({ id: "o3", name: "swallowed", kind: "hirer" }).execute();
      await sql`select 1 / 0`.execute(trx).catch(() => undefined);
    });
    await expect(transaction).rejects.toThrow();
    expect(await findOrganisations("swallowed")).toHaveLength(0);
  });

  test("the store rolls back a transaction that is open too long, and suggests the cause", async () => {
    const slow = store.transaction(async (trx) => {
      await trx.insertInto("organisations").values({ id: "o4", name: "slow", kind: "hirer" }).execute();
      await new Promise(() => undefined);
    });
    await expect(slow).rejects.toMatchObject({
      code: "transaction_overdue",
      message: expect.stringContaining("only trx"),
    });
    expect(await findOrganisations("slow")).toHaveLength(0);
  });

  test("the store rejects a statement after a statement that took too long, because the transaction has been rolled back", async () => {
    let resolveLate = (_result: unknown): void => undefined;
    const lateResult = new Promise((resolve) => {
      resolveLate = resolve;
    });
    const slow = store.transaction(async (trx) => {
      await sql`select pg_sleep(0.7)`.execute(trx);
      const late = trx.insertInto("organisations").values({ id: "o5", name: "late", kind: "hirer" }).execute();
      resolveLate(await late.catch((error: unknown) => error));
    });
    await expect(slow).rejects.toMatchObject({ code: "database_lost" });
    expect(await lateResult).toMatchObject({ code: "database_lost" });
    expect(await findOrganisations("late")).toHaveLength(0);
  });

  test("the store rejects a statement in a finished transaction", async () => {
    let leaked: Parameters<Parameters<Store["transaction"]>[0]>[0] | undefined;
    await store.transaction(async (trx) => {
      leaked = trx;
    });
    await expect(leaked?.selectFrom("organisations").selectAll().execute()).rejects.toThrow(/committed/);
  });

  test("the store runs concurrent transactions", async () => {
    const ids = Array.from({ length: 20 }, (_, index) => `parallel-${index}`);
    const insertAndRead = (id: string) =>
      store.transaction(async (trx) => {
        await trx.insertInto("organisations").values({ id, name: "parallel", kind: "hirer" }).execute();
        await trx.selectFrom("organisations").select("id").where("id", "=", id).executeTakeFirstOrThrow();
      });
    await Promise.all(ids.map(insertAndRead));
    expect(await findOrganisations("parallel")).toHaveLength(20);
  });

  test("the store reads counts as numbers and times as dates", async () => {
    await addOrganisation(store);
    const { rows } = await sql<{ count: number; newest: Date }>`
      select count(*) as count, max(created_at) as newest from organisations`.execute(store.db);
    expect(rows[0]).toEqual({ count: expect.any(Number), newest: expect.any(Date) });
  });

  test("a recipient's response is none by default, and only the documented values are allowed", async () => {
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

  test("several processes can create the store at the same time, but only one can create PGlite's folder", () => {
    const rejections = openResults.flatMap((result) => (result.status === "rejected" ? [result.reason] : []));
    expect(rejections).toHaveLength(store.name === "pglite" ? 1 : 0);
    for (const rejection of rejections)
      expect(rejection).toMatchObject({ code: "data_folder_in_use", message: expect.stringContaining("DATABASE_URL") });
  });
});

test("a PGlite transaction that cannot be rolled back reports the original error first", async () => {
  const [pglite] = await storesUnderTest();
  const database = await pglite.createDatabase();
  const thread = new PgliteThread(join(database.options.dataFolder, "pglite"), () => undefined);
  const connection = new PgliteConnection(thread, new PriorityMutex(), "foreground");
  await connection.waitReady;
  const failedTransaction = connection.transaction(async () => {
    thread.closed = true;
    throw new Error("the first");
  });
  await expect(failedTransaction).rejects.toThrow("the first");
  thread.closed = false;
  await connection.close();
  await database.remove();
});
