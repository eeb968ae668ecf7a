/**
 * `@offers/webhook-kit/redis`: deduplication shared by several processes.
 *
 * @module redis
 */
export type { Deduplication } from "./deduplication/deduplication.ts";
export { redisDeduplication } from "./deduplication/redis-deduplication.ts";
