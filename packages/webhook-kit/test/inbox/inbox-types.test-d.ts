import type { DatabaseSync } from "node:sqlite";
import type { PGlite, Transaction as PgliteTransaction } from "@electric-sql/pglite";
import type BetterSqlite from "better-sqlite3";
import type { NodePgDatabase } from "drizzle-orm/node-postgres";
import type { Kysely, Transaction } from "kysely";
import type { Pool as MysqlPool, PoolConnection } from "mysql2/promise";
import type { Client, Pool, PoolClient } from "pg";
import { expectTypeOf, test } from "vitest";
import type { HandlerContext, WebhookEvent } from "../../src/index.ts";
import { mysqlInbox } from "../../src/mysql.ts";
import { type Inbox, type InboxDatabase, postgresInbox } from "../../src/postgres.ts";
import { sqliteInbox } from "../../src/sqlite.ts";
import type { PrismaClient } from "./prisma/generated/client.ts";

interface OwnTables {
  notes: { text: string };
}

declare const pool: Pool;
declare const pglite: PGlite;
declare const kysely: Kysely<OwnTables>;
declare const drizzle: NodePgDatabase;
declare const prisma: PrismaClient;
declare const nodeSqlite: DatabaseSync;
declare const betterSqlite: BetterSqlite.Database;
declare const mysqlPool: MysqlPool;
declare const ownDatabase: InboxDatabase<OwnTables>;
declare const client: Client;
declare const context: HandlerContext<Request>;
declare const event: WebhookEvent;

test("work receives a transaction of the type that the user's library defines", () => {
  expectTypeOf(postgresInbox(pool)).toEqualTypeOf<Inbox<PoolClient>>();
  expectTypeOf(postgresInbox(pglite)).toEqualTypeOf<Inbox<PgliteTransaction>>();
  expectTypeOf(postgresInbox(kysely)).toEqualTypeOf<Inbox<Transaction<OwnTables>>>();
});

type TransactionOf<Drizzle> = Drizzle extends {
  transaction<T>(callback: (tx: infer Tx) => Promise<T>): Promise<T>;
}
  ? Tx
  : never;

test("with ORM, SQLite and MySQL handles, work receives their type of transaction", () => {
  expectTypeOf(postgresInbox(drizzle)).toEqualTypeOf<Inbox<TransactionOf<NodePgDatabase>>>();
  void postgresInbox(prisma).once(event, (tx) => tx.note.create({ data: { text: "" } }));
  expectTypeOf(sqliteInbox(nodeSqlite)).toEqualTypeOf<Inbox<DatabaseSync>>();
  expectTypeOf(sqliteInbox(betterSqlite)).toEqualTypeOf<Inbox<BetterSqlite.Database>>();
  expectTypeOf(mysqlInbox(mysqlPool)).toEqualTypeOf<Inbox<PoolConnection>>();
});

test("every inbox accepts an InboxDatabase", () => {
  for (const inbox of [postgresInbox(ownDatabase), sqliteInbox(ownDatabase), mysqlInbox(ownDatabase)])
    expectTypeOf(inbox).toEqualTypeOf<Inbox<OwnTables>>();
});

test("a table that the user did not declare is a type error", () => {
  const inbox = postgresInbox(kysely);
  // @ts-expect-error no such table
  void inbox.once(event, (tx) => tx.insertInto("nots").values({ text: "" }).execute());
});

test("a handler's context and a queued event both identify an event", () => {
  const inbox = postgresInbox(pool);
  expectTypeOf(inbox.once).toBeCallableWith(context, async () => undefined);
  expectTypeOf(inbox.once).toBeCallableWith(event, async () => undefined, { key: "k" });
});

test("the work's result is returned unless the event is a duplicate", async () => {
  const { duplicate, result } = await postgresInbox(pool).once(event, async () => ({ id: 7 }));
  if (duplicate) expectTypeOf(result).toEqualTypeOf<undefined>();
  else expectTypeOf(result).toEqualTypeOf<{ id: number }>();
});

test("a single connection is not accepted", () => {
  // @ts-expect-error one connection for all events
  postgresInbox(client);
});
