import { Pool } from "pg";

/** Opens a pool of database connections. */
export function openPool(): Pool {
  const { DATABASE_URL } = process.env;
  if (!DATABASE_URL) throw new Error("Set DATABASE_URL to the URL of a PostgreSQL database.");
  const pool = new Pool({ connectionString: DATABASE_URL, max: 4 });
  // Without this listener, a lost idle connection would crash the process.
  pool.on("error", ({ message }) => console.error(message));
  return pool;
}
