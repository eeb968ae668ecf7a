/**
 * What `acquire` returns. `token` is a fencing token: only its holder can complete or release.
 *
 * @example
 * ```ts
 * import type { AcquireResult } from "@offers/webhook-kit";
 *
 * export const isOurs = (result: AcquireResult): boolean => result.state === "acquired";
 * ```
 */
export type AcquireResult =
  | { readonly state: "acquired"; readonly token: string }
  | { readonly state: "inProgress"; readonly retryAfterMs: number }
  | { readonly state: "completed"; readonly status: number };

/**
 * A deduplication store: records acknowledged requests, so that an identical request does not run a handler twice (D-45). It
 * holds keys (hashes) and statuses, never a body. Several processes must share one store. If a function throws or rejects, the
 * response is 503. Verify a store of your own with `deduplicationConformance` of `/testing`.
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
   * Takes a lease on the key for `leaseMs`, unless another request holds one or has been completed. After `leaseMs` the key is
   * free again: the holder has crashed, or is long overdue.
   *
   * `subject`, if given, is what the request is about, such as one worker's response to one offer. A completed request counts only
   * until another one with the same subject is completed; then its key can be acquired again. A worker who accepts, rejects and
   * accepts again within one signed minute makes the service send the first request twice, and the second is no duplicate (D-57).
   * A key's subject never changes. A store that ignores `subject` treats the second as a duplicate.
   */
  acquire(
    key: string,
    options: { readonly leaseMs: number; readonly subject?: string | undefined },
  ): AcquireResult | Promise<AcquireResult>;
  /** Records `status` for `keepMs`; does nothing if the token no longer holds the key. */
  complete(key: string, token: string, status: number, keepMs: number): void | Promise<void>;
  /** Frees the key; does nothing if the token no longer holds it. */
  release(key: string, token: string): void | Promise<void>;
}
