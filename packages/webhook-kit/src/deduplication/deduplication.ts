/**
 * The result of `acquire`. `token` is a fencing token: only its holder can complete or release the key.
 *
 * @example
 * ```ts
 * import type { AcquireResult } from "@offers/webhook-kit";
 *
 * export const isAcquired = (result: AcquireResult): boolean => result.state === "acquired";
 * ```
 */
export type AcquireResult =
  | {
      /** This caller now holds the key. */
      readonly state: "acquired";
      /** Pass it to `complete` or `release`. */
      readonly token: string;
    }
  | {
      /** Another request holds the key. */
      readonly state: "inProgress";
      /** How long until the lease expires. */
      readonly retryAfterMs: number;
    }
  | {
      /** A request with this key was completed. */
      readonly state: "completed";
      /** The HTTP status that was recorded. */
      readonly status: number;
    };

/**
 * A deduplication store: records acknowledged requests, so that an identical request does not run a handler twice. It stores keys (hashes)
 * and statuses, never a body. Several processes must share one store. If a function throws or rejects, the response is 503. Test your own
 * store with `deduplicationConformance` from `/testing`.
 *
 * @example
 * ```ts
 * import { type Deduplication, memoryDeduplication } from "@offers/webhook-kit";
 *
 * const inner = memoryDeduplication();
 *
 * export const logged: Deduplication = {
 *   ...inner,
 *   async acquire(key, options) {
 *     const result = await inner.acquire(key, options);
 *     console.log(key, result.state);
 *     return result;
 *   },
 * };
 * ```
 */
export interface Deduplication {
  /**
   * Acquires a lease on the key for `leaseMs`, unless another request holds the key or has completed it. After `leaseMs` the key is free
   * again, because the holder has crashed or is long overdue.
   *
   * `subject`, if given, is what the request is about, such as one worker's response to one offer. A completed request counts only until
   * another request with the same subject is completed. Then the key of the first request can be acquired again. If a worker accepts,
   * rejects and accepts again within one signed minute, the service sends two identical acceptances, and the second is not a duplicate. A
   * store that ignores `subject` treats the second acceptance as a duplicate. A key's subject never changes.
   */
  acquire(
    key: string,
    options: {
      /** How long the lease lasts. */
      readonly leaseMs: number;
      /** What the request is about. */
      readonly subject?: string | undefined;
    },
  ): AcquireResult | Promise<AcquireResult>;
  /** Records `status` for `keepMs`. Does nothing if the token no longer holds the key. */
  complete(key: string, token: string, status: number, keepMs: number): void | Promise<void>;
  /** Frees the key. Does nothing if the token no longer holds it. */
  release(key: string, token: string): void | Promise<void>;
}
