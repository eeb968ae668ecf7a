import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openPool } from "../../src/store/postgres-pool.ts";
import { storesUnderTest, type TestDatabase } from "../support/stores/stores.ts";
import { openTcpProxy, type TcpProxy } from "../support/tcp-proxy.ts";

// A busy machine may take a second for what takes 10 ms on a quiet one.
const silenceMs = 3_000;
const shared = (await storesUnderTest()).filter(({ title }) => title !== "PGlite");

describe.each(shared)("connections to $title", ({ createDatabase }) => {
  let database: TestDatabase;
  let proxy: TcpProxy;
  let databaseUrl: string;

  beforeEach(async () => {
    database = await createDatabase();
    const direct = new URL(database.options.databaseUrl ?? "");
    proxy = await openTcpProxy(`http://${direct.host}`);
    direct.host = new URL(proxy.address).host;
    databaseUrl = direct.href;
  });
  afterEach(async () => {
    await proxy.close();
    await database.remove();
  });

  test("that go silent are given up, and others take their place", async () => {
    const errors: unknown[] = [];
    const pool = openPool(databaseUrl, (error) => errors.push(error), silenceMs);
    const client = await pool.connect();
    expect((await client.query("select 1 as one")).rows).toEqual([{ one: 1 }]);
    proxy.silence();
    await expect(client.query("select 2 as two")).rejects.toThrow(`said nothing for ${silenceMs} ms`);
    // Like a transaction of kysely: it must not wait on the dead connection for ever.
    await expect(client.query("rollback")).rejects.toThrow();
    client.release(true);
    expect((await pool.query("select 3 as three")).rows).toEqual([{ three: 3 }]);
    await pool.end();
  });

  test("last as long as they are used", async () => {
    const pool = openPool(databaseUrl, () => undefined, silenceMs);
    const client = await pool.connect();
    for (let times = 0; times < 4; times += 1) expect((await client.query("select pg_sleep(1)")).rows).toHaveLength(1);
    client.release();
    await pool.end();
  });
});
