import { Pool } from "pg";

/** Opens a pool. @param size the number of connections; the edge and the worker need only a few each */
export function openPool(size = 4): Pool {
  const { DATABASE_URL } = process.env;
  if (!DATABASE_URL) throw new Error("Set DATABASE_URL to the URL of a PostgreSQL database.");
  const pool = new Pool({ connectionString: DATABASE_URL, max: size });
  pool.on("error", ({ message }) => console.error(message)); // otherwise a lost idle connection would crash the process
  return pool;
}
