/**
 * `@offers/webhook-kit/redis`: receipts that processes share.
 *
 * @module redis
 */
export { redisDeduplication } from "./deduplication/redis/redis-deduplication.ts";
