/**
 * `@offers/webhook-kit/redis`: deduplication shared by several processes.
 *
 * @module redis
 */
export { redisDeduplication } from "./deduplication/redis-deduplication.ts";
