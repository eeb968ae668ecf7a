import { isPostgresRunning } from "../../../../scripts/test-database.ts";
import { hasRedisServer } from "../deduplication/own-redis.ts";
import { findRedis } from "../deduplication/redis-server.ts";
import { hasMysql } from "../inbox/mysql-server.ts";

/** Vitest's global setup. Prints once which stores the kit's tests use, so that a missing one is not skipped silently. */
export async function setup(): Promise<void> {
  const [postgres, mysql, redis] = await Promise.all([isPostgresRunning(), hasMysql(), findRedis()]);
  const stores = {
    PostgreSQL: postgres,
    "MySQL or MariaDB": mysql,
    [`Redis ${redis ?? ""}`.trim()]: redis !== undefined,
    "Redis Cluster": hasRedisServer(),
  };
  const namesWhere = (isAvailable: boolean) =>
    Object.entries(stores).flatMap(([name, found]) => (found === isAvailable ? [name] : []));
  const missing =
    namesWhere(false).length > 0 ? `; NOT tested because they are unavailable: ${namesWhere(false).join(", ")}` : "";
  console.log(
    `   inbox and deduplication: ${["memory", "SQLite", "PGlite", ...namesWhere(true)].join(", ")}${missing}`,
  );
}
