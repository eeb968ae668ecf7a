import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openStore } from "../../src/store/open-store.ts";
import { openPool, separateClient } from "../../src/store/postgres-pool.ts";
import { storesUnderTest, type TestDatabase } from "../support/stores/stores.ts";
import { openTcpProxy, type TcpProxy } from "../support/tcp-proxy.ts";

// A generous limit, because a busy machine is much slower.
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

  test("are closed when they go silent, and others replace them", async () => {
    const errors: unknown[] = [];
    const pool = openPool(databaseUrl, (error) => errors.push(error), { silenceMs });
    const client = await pool.connect();
    expect((await client.query("select 1 as one")).rows).toEqual([{ one: 1 }]);
    proxy.silence();
    await expect(client.query("select 2 as two")).rejects.toThrow(`sent nothing for ${silenceMs} ms`);
    // A rollback, as kysely sends it, must not wait for the dead connection for ever.
    await expect(client.query("rollback")).rejects.toThrow();
    client.release(true);
    expect((await pool.query("select 3 as three")).rows).toEqual([{ three: 3 }]);
    await pool.end();
  });

  test("have their own limits on the server", async () => {
    const pool = openPool(databaseUrl, () => undefined, { silenceMs });
    for (const [name, value] of [
      ["statement_timeout", "30s"],
      ["idle_in_transaction_session_timeout", "30s"],
      ["random_page_cost", "1.1"],
      ["application_name", "offers-platform"],
    ])
      expect((await pool.query(`show ${name}`)).rows).toEqual([{ [name as string]: value }]);
    await pool.end();
  });

  test("through a pooler in transaction mode keep no session state, and limit each transaction", async () => {
    const listenUrl = database.options.databaseUrl;
    const store = await openStore({ dataFolder: database.options.dataFolder, databaseUrl, listenUrl });
    const settings = sql<{ limit: string; cost: string; names: number }>`
      select current_setting('statement_timeout') as limit, current_setting('random_page_cost') as cost,
        (select count(*) from pg_prepared_statements) as names`;
    const limits = [{ limit: "30s", cost: "1.1", names: 0 }];
    for (const { transaction } of [store, store.background])
      expect((await transaction((trx) => settings.execute(trx))).rows).toEqual(limits);
    for (const { db } of [store, store.background])
      expect((await settings.execute(db)).rows).toEqual([{ limit: "0", cost: "4", names: 0 }]);
    await store.close();
  });

  test("last as long as they are used", async () => {
    const pool = openPool(databaseUrl, () => undefined, { silenceMs });
    const client = await pool.connect();
    for (let times = 0; times < 4; times += 1) expect((await client.query("select pg_sleep(1)")).rows).toHaveLength(1);
    client.release();
    await pool.end();
  });
});

// PgBouncer rejects all other parameters, see https://www.pgbouncer.org/config.html#ignore_startup_parameters
const knownToPgBouncer = ["user", "database", "client_encoding", "datestyle", "timezone", "application_name"];

test.each([
  ["the pool", (url: string): Promise<unknown> => openPool(url, () => undefined).connect()],
  ["the connection for signals", (url: string): Promise<unknown> => separateClient(url).connect()],
])("%s uses no startup parameter that PgBouncer rejects", async (_, connect) => {
  let startup: Buffer | undefined;
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", (message) => {
      startup = message;
      socket.destroy();
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  await expect(connect(`postgres://ann@127.0.0.1:${port}/x`)).rejects.toThrow();
  server.close();
  // A StartupMessage has its length, the version, then names and values, see
  // https://www.postgresql.org/docs/current/protocol-message-formats.html
  const texts = startup?.subarray(8).toString().split("\0") ?? [];
  const names = texts.filter((text, index) => index % 2 === 0 && text !== "");
  expect(names).toContain("user");
  expect(names.filter((name) => !knownToPgBouncer.includes(name))).toEqual([]);
});
