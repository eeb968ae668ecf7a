import pg from "pg";
import { afterAll } from "vitest";
import { createDatabase } from "../../../../scripts/test-database.ts";

/** A database for the tests of one file, dropped after them. */
export async function databaseOfFile(): Promise<string> {
  const { url, drop } = await createDatabase();
  afterAll(drop);
  return url;
}

/** A pool that ends with the tests of its file. */
export function openPool(url: string, options: pg.PoolConfig = {}): pg.Pool {
  const pool = new pg.Pool({ connectionString: url, ...options });
  // Tests end sessions on purpose.
  pool.on("error", () => undefined);
  afterAll(() => pool.end());
  return pool;
}
