import pg from "pg";
import { afterAll } from "vitest";
import { createDatabase } from "../../../../scripts/test-database.ts";

/** Creates a database for the tests of one file, and drops it after them. @returns its URL */
export async function createDatabaseForFile(): Promise<string> {
  const { url, drop } = await createDatabase();
  afterAll(drop);
  return url;
}

/** Opens a pool, and closes it after the tests of the file. */
export function openPool(url: string, options: pg.PoolConfig = {}): pg.Pool {
  const pool = new pg.Pool({ connectionString: url, ...options });
  // Some tests terminate sessions on purpose, which makes the pool emit errors.
  pool.on("error", () => undefined);
  afterAll(() => pool.end());
  return pool;
}
