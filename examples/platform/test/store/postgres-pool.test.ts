import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openStore } from "../../src/store/open-store.ts";
import { createSeparateClient, openPool, withClients } from "../../src/store/postgres-pool.ts";
import { storesUnderTest, type TestDatabase } from "../support/stores/stores.ts";
import { openTcpProxy, type TcpProxy } from "../support/tcp-proxy.ts";

// A generous limit for busy machines.
const silenceMs = 3_000;
const shareableStores = (await storesUnderTest()).filter(({ title }) => title !== "PGlite");

describe.each(shareableStores)("connections to $title", ({ createDatabase }) => {
  let database: TestDatabase;
  let proxy: TcpProxy;
  let databaseUrl: string;

  beforeEach(async () => {
    database = await createDatabase();
    const url = new URL(database.options.databaseUrl ?? "");
    proxy = await openTcpProxy(`http://${url.host}`);
    url.host = new URL(proxy.address).host;
    databaseUrl = url.href;
  });
  afterEach(async () => {
    await proxy.close();
    await database.remove();
  });

  test("connections are closed and replaced when they go silent", async () => {
    const pool = openPool(databaseUrl, () => undefined, { silenceMs });
    const client = await withClients(pool).connect();
    expect((await client.query("select 1 as one", [])).rows).toEqual([{ one: 1 }]);
    proxy.silence();
    const lost = { code: "database_lost", cause: { message: `the database sent nothing for ${silenceMs} ms` } };
    await expect(client.query("select 2 as two", [])).rejects.toMatchObject(lost);
    // kysely then sends a rollback, which must not wait for the dead connection for ever.
    await expect(client.query("rollback", [])).rejects.toMatchObject(lost);
    client.release();
    expect((await pool.query("select 3 as three")).rows).toEqual([{ three: 3 }]);
    await pool.end();
  });

  test("connections set their own limits on the server", async () => {
    const pool = openPool(databaseUrl, () => undefined, { silenceMs });
    for (const [name, value] of [
      ["statement_timeout", "30s"],
      ["idle_in_transaction_session_timeout", "2s"],
      ["random_page_cost", "1.1"],
      ["application_name", "offers-platform"],
    ])
      expect((await pool.query(`show ${name}`)).rows).toEqual([{ [name as string]: value }]);
    await pool.end();
  });

  test("connections through a pooler in transaction mode have no session state and limit each transaction", async () => {
    const listenUrl = database.options.databaseUrl;
    const store = await openStore({ dataFolder: database.options.dataFolder, databaseUrl, listenUrl });
    const settings = sql<{ limit: string; idle: string; cost: string; prepared: number }>`
      select current_setting('statement_timeout') as limit, current_setting('random_page_cost') as cost,
        current_setting('idle_in_transaction_session_timeout') as idle,
        (select count(*) from pg_prepared_statements) as prepared`;
    const limits = [{ limit: "30s", idle: "2s", cost: "1.1", prepared: 0 }];
    for (const { transaction } of [store, store.background])
      expect((await transaction((trx) => settings.execute(trx))).rows).toEqual(limits);
    for (const { db } of [store, store.background])
      expect((await settings.execute(db)).rows).toEqual([{ limit: "0", idle: "0", cost: "4", prepared: 0 }]);
    await store.close();
  });

  test("connections stay open as long as they are used", async () => {
    const pool = openPool(databaseUrl, () => undefined, { silenceMs });
    const client = await pool.connect();
    for (let times = 0; times < 4; times += 1) expect((await client.query("select pg_sleep(1)")).rows).toHaveLength(1);
    client.release();
    await pool.end();
  });
});

// PgBouncer rejects all other parameters: https://www.pgbouncer.org/config.html#ignore_startup_parameters
const acceptedByPgBouncer = ["user", "database", "client_encoding", "datestyle", "timezone", "application_name"];

test.each([
  ["the pool", (url: string): Promise<unknown> => openPool(url, () => undefined).connect()],
  ["the connection for signals", (url: string): Promise<unknown> => createSeparateClient(url).connect()],
])("%s does not use startup parameters that PgBouncer rejects", async (_, connect) => {
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
  // A StartupMessage contains its length, the version, and then names and values:
  // https://www.postgresql.org/docs/current/protocol-message-formats.html
  const strings = startup?.subarray(8).toString().split("\0") ?? [];
  const names = strings.filter((value, index) => index % 2 === 0 && value !== "");
  expect(names).toContain("user");
  expect(names.filter((name) => !acceptedByPgBouncer.includes(name))).toEqual([]);
});
