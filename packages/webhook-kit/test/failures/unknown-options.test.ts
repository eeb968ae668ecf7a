import { DatabaseSync } from "node:sqlite";
import { createPool } from "mysql2/promise";
import pg from "pg";
import { expect, test, vi } from "vitest";
import { memoryDeduplication, timestampDigest } from "../../src/index.ts";
import { mysqlInbox, inboxMigration as mysqlMigration } from "../../src/mysql.ts";
import { inboxMigration, postgresInbox } from "../../src/postgres.ts";
import { redisDeduplication } from "../../src/redis.ts";
import { sqliteInbox, inboxMigration as sqliteMigration } from "../../src/sqlite.ts";
import { signHeaders, testReceiver } from "../../src/testing.ts";

const pool = new pg.Pool();
const redis = { call: vi.fn(async () => "settled") };
const app = { fetch: () => new Response() };

const calls: [call: string, run: (options: never) => unknown, option: string, nearest: string][] = [
  ["postgresInbox", (options) => postgresInbox(pool, options), "keepHours", "keepMs"],
  ["postgresInbox", (options) => postgresInbox(pool, options), "tabel", "table"],
  ["mysqlInbox", (options) => mysqlInbox(createPool({}), options), "keepHours", "keepMs"],
  ["sqliteInbox", (options) => sqliteInbox(new DatabaseSync(":memory:"), options), "keepHours", "keepMs"],
  ["inboxMigration", (options) => inboxMigration(options), "tables", "table"],
  ["inboxMigration", (options) => mysqlMigration(options), "tables", "table"],
  ["inboxMigration", (options) => sqliteMigration(options), "tables", "table"],
  ["inbox.once", (options) => postgresInbox(pool).once({}, async () => undefined, options), "keys", "key"],
  ["inbox.deleteExpired", (options) => postgresInbox(pool).deleteExpired(options), "batch", "batchSize"],
  ["redisDeduplication", (options) => redisDeduplication(redis, options), "timeout", "timeoutMs"],
  ["memoryDeduplication", (options) => memoryDeduplication(options), "maxEntry", "maxEntries"],
  ["timestampDigest", (options) => timestampDigest(options), "variants", "variant"],
  ["testReceiver", (options) => testReceiver(app, options), "toleranceSecond", "toleranceSeconds"],
  ["signHeaders", (options) => signHeaders(options), "schema", "scheme"],
];

test.each(calls)("%s rejects an unknown option and names the nearest one", async (call, run, option, nearest) => {
  await expect((async () => run({ [option]: 5 } as never))()).rejects.toMatchObject({
    code: "invalid_option",
    message: expect.stringContaining(`${call}: Unknown option ${option}; did you mean ${nearest}? The options are: `),
  });
});
