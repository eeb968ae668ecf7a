/**
 * `@offers/webhook-kit/redis`: receipts that processes share.
 *
 * @module redis
 */
export { redisReceipts } from "./redis-receipts.ts";
