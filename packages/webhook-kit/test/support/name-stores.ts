import { isPostgresRunning } from "../../../../scripts/test-database.ts";
import { hasRedisServer } from "../deduplication/own-redis.ts";
import { findRedis } from "../deduplication/redis-server.ts";
import { hasMysql } from "../inbox/mysql-server.ts";

/** Vitest's global setup. Prints once which stores the kit's tests use, so that no unavailable store is skipped silently. */
export async function setup(): Promise<void> {
  const [postgres, mysql, redisVersion] = await Promise.all([isPostgresRunning(), hasMysql(), findRedis()]);
  const availability = {
    PostgreSQL: postgres,
    "MySQL or MariaDB": mysql,
    [redisVersion === undefined ? "Redis" : `Redis ${redisVersion}`]: redisVersion !== undefined,
    "Redis Cluster": hasRedisServer(),
  };
  const available = ["memory", "SQLite", "PGlite"];
  const unavailable: string[] = [];
  for (const [name, isAvailable] of Object.entries(availability)) {
    if (isAvailable) available.push(name);
    else unavailable.push(name);
  }
  const warning = unavailable.length > 0 ? `; NOT tested because they are unavailable: ${unavailable.join(", ")}` : "";
  console.log(`   inbox and deduplication: ${available.join(", ")}${warning}`);
}
