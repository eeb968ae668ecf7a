import { Pool } from "pg";

/** Opens a pool. @param size the maximum number of connections; the edge and the worker need only a few each */
export function openPool(size = 4): Pool {
  const { DATABASE_URL } = process.env;
  if (!DATABASE_URL) throw new Error("Set DATABASE_URL to the URL of a PostgreSQL database.");
  const pool = new Pool({ connectionString: DATABASE_URL, max: size });
  // Without this listener, a lost idle connection would crash the process.
  pool.on("error", ({ message }) => console.error(message));
  return pool;
}
