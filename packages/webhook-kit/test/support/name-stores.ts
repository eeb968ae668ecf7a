import { findPostgres } from "../../../../scripts/test-database.ts";
import { hasRedisServer } from "../deduplication/own-redis.ts";
import { findRedis } from "../deduplication/redis-server.ts";
import { findMysql } from "../inbox/mysql-server.ts";

/** Vitest's global setup. Prints once which stores the kit's tests use, so that a missing one is not skipped silently. */
export async function setup(): Promise<void> {
  const [postgres, mysql, redis] = await Promise.all([findPostgres(), findMysql(), findRedis()]);
  const stores = {
    PostgreSQL: postgres,
    "MySQL or MariaDB": mysql,
    [`Redis ${redis ?? ""}`.trim()]: redis !== undefined,
    "Redis Cluster": hasRedisServer(),
  };
  const names = (isThere: boolean) =>
    Object.entries(stores).flatMap(([name, found]) => (found === isThere ? [name] : []));
  const missing =
    names(false).length > 0 ? `; NOT tested, because they do not run here: ${names(false).join(", ")}` : "";
  console.log(`   inbox and deduplication: ${["memory", "SQLite", "PGlite", ...names(true)].join(", ")}${missing}`);
}
