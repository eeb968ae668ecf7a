/**
 * `@offers/webhook-kit/redis`: receipts that processes share.
 *
 * @module redis
 */
export { redisReceipts } from "./deduplication/redis/redis-deduplication.ts";
