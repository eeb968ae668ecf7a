import { randomUUID } from "node:crypto";
import { expect } from "vitest";
import { type Inbox, inboxMigration } from "../../src/postgres.ts";
import { createDatabaseForFile, openPool } from "./postgres-server.ts";

/** The isolation levels that `ALTER DATABASE … SET default_transaction_isolation` or a hosted PostgreSQL may set. */
export const isolationLevels = ["repeatable read", "serializable"] as const;

/** Creates a database with the inbox table, and opens a pool whose transactions have this isolation level by default. */
export async function openIsolated(level: (typeof isolationLevels)[number]) {
  const url = new URL(await createDatabaseForFile());
  // PostgreSQL splits `options` at spaces that are not escaped.
  url.searchParams.set("options", `-c default_transaction_isolation=${level.replace(" ", "\\ ")}`);
  const pool = openPool(url.href);
  await pool.query(inboxMigration());
  return { url: url.href, pool };
}

/** Makes eight concurrent calls of `once` for one event, then of `acquire` for one key, and expects one call of each to succeed. */
export async function expectOneOfEightToSucceed<Tx>(inbox: Inbox<Tx>): Promise<void> {
  const deduplicationKey = randomUUID();
  const callEightTimes = <T>(call: () => Promise<T>) => Promise.all(Array.from({ length: 8 }, call));
  const work = () => new Promise((resolve) => setTimeout(resolve, 20));
  const onceResults = await callEightTimes(() => inbox.once({ deduplicationKey }, work));
  expect(onceResults.filter(({ duplicate }) => !duplicate)).toHaveLength(1);
  const acquireResults = await callEightTimes(async () => inbox.acquire(deduplicationKey, { leaseMs: 60_000 }));
  expect(acquireResults.filter(({ state }) => state === "acquired")).toHaveLength(1);
}
