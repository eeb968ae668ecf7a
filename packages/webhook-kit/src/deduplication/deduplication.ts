/**
 * What a store says to a claim. `token` fences: only its holder can complete or release.
 *
 * @example
 * ```ts
 * import type { AcquireResult } from "@offers/webhook-kit";
 *
 * export const isOurs = (claim: AcquireResult): boolean => claim.state === "claimed";
 * ```
 */
export type AcquireResult =
  | { readonly state: "acquired"; readonly token: string }
  | { readonly state: "inProgress"; readonly retryAfterMs: number }
  | { readonly state: "completed"; readonly status: number };

/**
 * The receiver's memory of requests it has acknowledged, so that an identical request does not run a handler twice (D-45).
 * Only keys (hashes) and a status are kept, never a body. Processes that share the work must share the store. A function
 * that throws or rejects makes the request a 503. `deduplicationConformance` of `/testing` tells whether a store of your own is
 * right.
 *
 * @example
 * ```ts
 * import { memoryDeduplication, type Deduplication } from "@offers/webhook-kit";
 *
 * const inner = memoryDeduplication();
 *
 * export const counted: Deduplication & { duplicates: number } = {
 *   duplicates: 0,
 *   async claim(key, options) {
 *     const claim = await inner.claim(key, options);
 *     if (claim.state === "done") this.duplicates += 1;
 *     return claim;
 *   },
 *   complete: (key, token, status, keepMs) => inner.complete(key, token, status, keepMs),
 *   release: (key, token) => inner.release(key, token),
 * };
 * ```
 */
export interface Deduplication {
  /**
   * Takes the key for `leaseMs`, unless somebody holds it or its request is done. A lease that ran out is free again: its
   * holder died, or is long overdue.
   *
   * `subject`, where given, is what the request is about, such as one worker's answer to one offer. A done receipt of a
   * subject counts only while no other receipt of that subject was completed after it, and else may be claimed anew: a
   * worker who accepts, rejects and accepts again within one signed minute makes the service send the first request twice,
   * and means it (D-57). A key's subject never changes. A store that leaves `subject` aside takes the second for a duplicate.
   */
  acquire(
    key: string,
    options: { readonly leaseMs: number; readonly subject?: string | undefined },
  ): AcquireResult | Promise<AcquireResult>;
  /** Remembers `status` for `keepMs`; does nothing when the token no longer holds the key. */
  complete(key: string, token: string, status: number, keepMs: number): void | Promise<void>;
  /** Frees the key; does nothing when the token no longer holds it. */
  release(key: string, token: string): void | Promise<void>;
}
