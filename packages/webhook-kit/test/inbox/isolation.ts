import { randomUUID } from "node:crypto";
import { expect } from "vitest";
import { type Inbox, inboxMigration } from "../../src/postgres.ts";
import { createDatabaseForFile, openPool } from "./postgres-server.ts";

/** The isolation levels that `ALTER DATABASE … SET default_transaction_isolation` or a hosted PostgreSQL may set. */
export const levels = ["repeatable read", "serializable"] as const;

/** Opens a database with this isolation level and the inbox's table. */
export async function openIsolated(level: (typeof levels)[number]) {
  const url = new URL(await createDatabaseForFile());
  url.searchParams.set("options", `-c default_transaction_isolation=${level.replace(" ", "\\ ")}`);
  const pool = openPool(url.href);
  await pool.query(inboxMigration());
  return { url: url.href, pool };
}

/** Starts eight concurrent attempts at one event, then at one request, and expects one of each to succeed. */
export async function expectOneOfEight<Tx>(inbox: Inbox<Tx>): Promise<void> {
  const deduplicationKey = randomUUID();
  const runEight = <T>(attempt: () => Promise<T>) => Promise.all(Array.from({ length: 8 }, attempt));
  const work = () => new Promise((end) => setTimeout(end, 20));
  const results = await runEight(() => inbox.once({ deduplicationKey }, work));
  expect(results.filter(({ duplicate }) => !duplicate)).toHaveLength(1);
  const acquired = await runEight(async () => inbox.acquire(deduplicationKey, { leaseMs: 60_000 }));
  expect(acquired.filter(({ state }) => state === "acquired")).toHaveLength(1);
}
