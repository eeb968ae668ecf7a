import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";
import type { PGlite } from "@electric-sql/pglite";
import SqliteDatabase from "better-sqlite3";
import mysql from "mysql2";
import { createConnection, createPool, type PoolConnection } from "mysql2/promise";
import { afterAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { mysqlInbox, inboxMigration as mysqlMigration } from "../../src/mysql.ts";
import { type InboxDatabase, inboxMigration, postgresInbox } from "../../src/postgres.ts";
import { sqliteInbox, inboxMigration as sqliteMigration } from "../../src/sqlite.ts";
import { openPglite } from "../support/open-pglite.ts";
import { createMysqlDatabase, hasMysql } from "./mysql-server.ts";

const invalid = expect.objectContaining({ name: "ConfigurationError", code: "invalid_option" });
const missingTable = (inbox: string, table: string) =>
  expect.objectContaining({
    code: "inbox_table_missing",
    message: expect.stringMatching(
      `^${inbox}'s table ${table} does not exist. Run the SQL that inboxMigration\\(\\) returns`,
    ),
  });

/** Whether to test every library instead of one driver per database. */
const isFull = process.env.TEST_MATRIX === "full";

const pglite = await openPglite();
afterAll(() => pglite.close());

const createTable = "CREATE TABLE notes (text varchar(255) NOT NULL)";

test("an inbox rejects a handle from an unsupported library", async () => {
  const pool = mysql.createPool({});
  const sqlite = new DatabaseSync(":memory:");
  for (const handle of [undefined, null, {}, "sqlite::memory:", pool]) {
    expect(() => sqliteInbox(handle as never)).toThrow(invalid);
    expect(() => mysqlInbox(handle as never)).toThrow(invalid);
  }
  expect(() => postgresInbox(sqlite as never)).toThrow(invalid);
  expect(() => mysqlInbox(sqlite as never)).toThrow(invalid);
});

test("a Drizzle driver without transactions is rejected when the inbox is created", () => {
  // Imitates the properties that the inbox reads from a handle, such as one from drizzle-orm/neon-http.
  const createFakeDrizzle = (kind: string) => {
    const call = () => undefined;
    const driver = { [Symbol.for("drizzle:entityKind")]: kind };
    return { constructor: driver, execute: call, select: call, transaction: call };
  };
  const neonServerless = expect.objectContaining({ message: expect.stringContaining("drizzle-orm/neon-serverless") });
  for (const kind of ["NeonHttpDatabase", "PgRemoteDatabase", "XataHttpDatabase"]) {
    expect(() => postgresInbox(createFakeDrizzle(kind) as never)).toThrow(invalid);
    expect(() => postgresInbox(createFakeDrizzle(kind) as never)).toThrow(neonServerless);
  }
  expect(() => postgresInbox(createFakeDrizzle("NodePgDatabase") as never)).not.toThrow();
});

test("a user's InboxDatabase is called directly", async () => {
  await pglite.exec(`${inboxMigration()} ${createTable}`);
  type Run = (sql: string, values?: readonly unknown[]) => Promise<Record<string, unknown>[]>;
  const createRun =
    (executor: Pick<PGlite, "query">): Run =>
    async (sql, values = []) =>
      (await executor.query<Record<string, unknown>>(sql, [...values])).rows;
  const ownDatabase: InboxDatabase<Run> = {
    query: createRun(pglite),
    transact: (firstStatements, work) =>
      pglite.transaction(async (tx) => {
        const run = createRun(tx as unknown as PGlite);
        let rows: Record<string, unknown>[] = [];
        for (const sql of firstStatements) rows = await run(sql);
        return work(run, rows, run);
      }),
  };
  const inbox = postgresInbox(ownDatabase);
  const write = (tx: Run) => tx("INSERT INTO notes (text) VALUES ('a')");
  expect(await inbox.once({}, write, { key: "k" })).toEqual({ duplicate: false, result: [] });
  expect(await inbox.once({}, write, { key: "k" })).toEqual({ duplicate: true });
  expect(await ownDatabase.query("SELECT text FROM notes")).toEqual([{ text: "a" }]);
});

describe("SQLite", () => {
  const drivers = [
    ["node:sqlite", (file: string) => new DatabaseSync(file)] as const,
    ["better-sqlite3", (file: string) => new SqliteDatabase(file, { timeout: 0 })] as const,
  ].slice(0, isFull ? 2 : 1);

  test.each(drivers)(
    "with %s, the error for a missing inbox table names inboxMigration(), but the error for a user's table does not",
    async (_, open) => {
      const database = open(":memory:");
      onTestFinished(() => void database.close());
      const inbox = sqliteInbox(database as DatabaseSync);
      const table = missingTable("sqliteInbox", '"offers_inbox"');
      await expect(inbox.acquire("k", { leaseMs: 1_000 })).rejects.toEqual(table);
      await expect(inbox.once({}, async () => undefined, { key: "k" })).rejects.toEqual(table);
      database.exec(sqliteMigration());
      const failingCall = inbox.once({}, async (tx) => tx.prepare("SELECT 1 FROM nowhere"), { key: "k" });
      await expect(failingCall).rejects.toThrow("no such table: nowhere");
      await inbox.once({}, async () => undefined, { key: "k" });
      database.exec(sqliteMigration());
      expect(await inbox.once({}, async () => undefined, { key: "k" })).toEqual({ duplicate: true });
    },
  );

  test.each(drivers)("%s isolates concurrent transactions on one connection", async (_, open) => {
    const database = open(":memory:");
    onTestFinished(() => void database.close());
    database.exec(`${sqliteMigration()} ${createTable}`);
    const evenInbox = sqliteInbox(database as DatabaseSync);
    const oddInbox = sqliteInbox(database as DatabaseSync);
    const attempt = (index: number) =>
      (index % 2 === 0 ? evenInbox : oddInbox).once(
        {},
        async (tx) => {
          tx.prepare("INSERT INTO notes (text) VALUES (?)").run(String(index));
          await pause(2);
          if (index % 3 === 0) throw new Error("later");
        },
        { key: String(index) },
      );
    const results = await Promise.allSettled(Array.from({ length: 12 }, (_value, index) => attempt(index)));
    expect(results.map(({ status }) => status === "fulfilled")).toEqual(
      results.map((_value, index) => index % 3 !== 0),
    );
    expect(database.prepare("SELECT count(*) AS count FROM notes").get()).toMatchObject({ count: 8 });
  });

  test.each(drivers)(
    "%s waits for another connection that is writing, without blocking the process",
    async (_, open) => {
      const folder = await mkdtemp(join(tmpdir(), "offers-inbox-"));
      onTestFinished(() => rm(folder, { recursive: true, force: true }));
      const database = open(join(folder, "a.db"));
      const writer = open(join(folder, "a.db"));
      onTestFinished(() => {
        database.close();
        writer.close();
      });
      database.exec(`${sqliteMigration()} ${createTable}`);
      writer.exec("BEGIN IMMEDIATE");
      const inbox = sqliteInbox(database as DatabaseSync);
      const work = vi.fn(async () => undefined);
      const waitingCall = inbox.once({}, work, { key: randomUUID() });
      await pause(50);
      expect(work).not.toHaveBeenCalled();
      writer.exec("COMMIT");
      expect(await waitingCall).toEqual({ duplicate: false });
    },
  );

  test.each(drivers)("once on %s rejects when the work ends its own transaction", async (_, open) => {
    const database = open(":memory:");
    onTestFinished(() => void database.close());
    database.exec(sqliteMigration());
    const inbox = sqliteInbox(database as DatabaseSync);
    await expect(inbox.once({}, async (tx) => tx.exec("ROLLBACK"), { key: "k" })).rejects.toThrow("no such savepoint");
    expect(await inbox.once({}, async () => undefined, { key: "k" })).toEqual({ duplicate: false });
  });

  test("sqliteInbox uses a table in an attached database", async () => {
    const database = new DatabaseSync(":memory:");
    database.exec(`ATTACH ':memory:' AS planning; ${sqliteMigration({ table: "planning.inbox" })}`);
    const inbox = sqliteInbox(database, { table: "planning.inbox" });
    expect(await inbox.once({}, async () => undefined, { key: "k" })).toEqual({ duplicate: false });
    expect(database.prepare("SELECT status FROM planning.inbox").all()).toMatchObject([{ status: 200 }]);
  });

  test("sqliteInbox reports a completed key on a connection that reads integers as BigInt", async () => {
    const database = new SqliteDatabase(":memory:").defaultSafeIntegers();
    database.exec(sqliteMigration());
    const inbox = sqliteInbox(database);
    const acquired = await inbox.acquire("k", { leaseMs: 60_000 });
    if (acquired.state === "acquired") await inbox.complete("k", acquired.token, 200, 60_000);
    expect(await inbox.acquire("k", { leaseMs: 60_000 })).toEqual({ state: "completed", status: 200 });
  });
});

describe.runIf(await hasMysql())("MySQL", () => {
  async function openMysql() {
    const { url, drop } = await createMysqlDatabase();
    onTestFinished(drop);
    const pool = createPool(url);
    onTestFinished(() => pool.end());
    return { url, pool };
  }

  test("mysqlInbox names inboxMigration() in the error for a missing table, and rejects a single connection", async () => {
    const { pool, url } = await openMysql();
    const inbox = mysqlInbox(pool);
    const table = missingTable("mysqlInbox", "`offers_inbox`");
    await expect(inbox.acquire("k", { leaseMs: 1_000 })).rejects.toEqual(table);
    await expect(inbox.once({}, async () => undefined, { key: "k" })).rejects.toEqual(table);
    await pool.query(mysqlMigration());
    await inbox.once({}, async () => undefined, { key: "k" });
    await pool.query(mysqlMigration());
    expect(await inbox.once({}, async () => undefined, { key: "k" })).toEqual({ duplicate: true });
    const connection = await createConnection(url);
    expect(() => mysqlInbox(connection as never)).toThrow(invalid);
    await connection.end();
  });

  test("once on MySQL rejects after a deadlock whose error the work caught, because nothing was committed", async () => {
    const { pool } = await openMysql();
    await pool.query(mysqlMigration());
    await pool.query("CREATE TABLE notes (text varchar(255) PRIMARY KEY, number int NOT NULL) ENGINE = InnoDB");
    await pool.query("INSERT INTO notes VALUES ('a', 0), ('b', 0)");
    const inbox = mysqlInbox(pool);
    const createSignal = () => {
      let send = () => {};
      const sent = new Promise<void>((resolve) => {
        send = resolve;
      });
      return { sent, send: () => send() };
    };
    const lockAcquired = createSignal();
    const secondLockAllowed = createSignal();
    const otherConnection = await pool.getConnection();
    onTestFinished(() => otherConnection.release());
    const increment = (connection: PoolConnection, text: string) =>
      connection.execute("UPDATE notes SET number = number + 1 WHERE text = ?", [text]);
    let deadlockCount = 0;
    const attempt = inbox.once(
      {},
      async (tx) => {
        await increment(tx, "a");
        lockAcquired.send();
        await secondLockAllowed.sent;
        await increment(tx, "b").catch(() => {
          deadlockCount += 1;
        });
      },
      { key: "k" },
    );
    await lockAcquired.sent;
    await otherConnection.query("START TRANSACTION");
    // InnoDB rolls back the transaction that has changed less.
    for (let count = 0; count < 50; count += 1)
      await otherConnection.execute("INSERT INTO notes VALUES (?, 0)", [randomUUID()]);
    await increment(otherConnection, "b");
    const crossingUpdate = increment(otherConnection, "a").catch(() => undefined);
    secondLockAllowed.send();
    await expect(attempt).rejects.toThrow(/SAVEPOINT/);
    await crossingUpdate;
    await otherConnection.query("ROLLBACK");
    expect(deadlockCount).toBe(1);
    const [rows] = await pool.query("SELECT number FROM notes WHERE text = 'a'");
    expect(rows).toEqual([{ number: 0 }]);
    expect(await inbox.once({}, async () => undefined, { key: "k" })).toEqual({ duplicate: false });
  });

  test("once on MySQL rejects when its session is killed during the work, and handles the retry", async () => {
    const { pool } = await openMysql();
    await pool.query(mysqlMigration());
    const inbox = mysqlInbox(pool);
    const killedCall = inbox.once({}, (tx) => pool.query(`KILL ${tx.threadId}`), { key: "k" });
    await expect(killedCall).rejects.toThrow();
    expect(await inbox.once({}, async () => undefined, { key: "k" })).toEqual({ duplicate: false });
  });
});
