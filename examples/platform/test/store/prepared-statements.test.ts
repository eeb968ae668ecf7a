import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openStore } from "../../src/store/open-store.ts";
import type { Store } from "../../src/store/store.ts";
import { storesUnderTest, type TestDatabase } from "../support/stores/stores.ts";

const shareableStores = (await storesUnderTest()).filter(({ title }) => title !== "PGlite");

describe.each(shareableStores)("background statements on $title", ({ createDatabase }) => {
  let database: TestDatabase;
  let store: Store;

  beforeEach(async () => {
    database = await createDatabase();
    store = await openStore(database.options);
  });
  afterEach(async () => {
    await store.close();
    await database.remove();
  });

  const double = async (store: Pick<Store, "db">, value: number): Promise<number | undefined> =>
    (await sql<{ doubled: number }>`select 2 * ${value}::integer as doubled`.execute(store.db)).rows[0]?.doubled;

  /** Runs `work` on one connection. @returns the statements that the connection has prepared */
  const readPreparedStatements = (
    usedStore: Store,
    work: (db: Pick<Store, "db">) => Promise<unknown>,
  ): Promise<string[]> =>
    usedStore.transaction(async (trx) => {
      await work({ db: trx });
      const { rows } = await sql<{ statement: string }>`select statement from pg_prepared_statements`.execute(trx);
      return rows
        .map(({ statement }) => statement)
        .filter((statement) => !statement.includes("pg_prepared_statements"));
    });

  test("background statements are prepared once per connection, and statements of requests are not prepared", async () => {
    const doubleTwice = async (usedStore: Pick<Store, "db">) =>
      expect([await double(usedStore, 1), await double(usedStore, 21)]).toEqual([2, 42]);
    expect(await readPreparedStatements(store, doubleTwice)).toEqual([]);
    expect(await readPreparedStatements(store.background, doubleTwice)).toEqual(["select 2 * $1::integer as doubled"]);
  });

  test("background statements use one plan for all parameters in a transaction", async () => {
    const plans = await store.background.transaction(async (trx) => {
      for (let value = 0; value < 3; value += 1) await double({ db: trx }, value);
      const { rows } = await sql<{ generic: number; custom: number }>`
        select generic_plans::int as generic, custom_plans::int as custom from pg_prepared_statements
        where statement like 'select 2%'`.execute(trx);
      return rows;
    });
    expect(plans).toEqual([{ generic: 3, custom: 0 }]);
  });

  test("background statements are prepared again by the connection that replaces a lost connection", async () => {
    expect(await double(store.background, 1)).toBe(2);
    const terminate = "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database()";
    await store.execute(`${terminate} and pid <> pg_backend_pid()`);
    await store.execute("select pg_terminate_backend(pg_backend_pid())").catch(() => undefined);
    expect(await double(store.background, 2)).toBe(4);
  });

  test("background statements are prepared up to a limit, and work beyond it", async () => {
    const prepared = await readPreparedStatements(store.background, async ({ db }) => {
      for (let count = 1; count <= 250; count += 1) {
        const values = sql.join(Array.from({ length: count }, () => sql`${1}::integer`));
        const { rows } = await sql<{ ones: number }>`select array_length(array[${values}], 1) as ones`.execute(db);
        expect(rows).toEqual([{ ones: count }]);
      }
    });
    expect(prepared).toHaveLength(200);
  });
});
