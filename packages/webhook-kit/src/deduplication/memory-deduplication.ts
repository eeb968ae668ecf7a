import { ConfigurationError, UnavailableError } from "../errors/errors.ts";
import { rejectUnknownOptions } from "../errors/option-names.ts";
import type { Deduplication } from "./deduplication.ts";

interface Lease {
  readonly subject: string;
  readonly token: string;
  readonly endsAt: number;
}

interface Completed {
  readonly key: string;
  readonly status: number;
  readonly endsAt: number;
}

/** The number of leases after which a batch of expired entries is removed. With batches, no single request has to remove them all. */
const sweepInterval = 64;

/**
 * An in-memory deduplication store, for a single process; its records are lost when the process exits. No record is removed before it
 * expires. When the store is full, requests are rejected with 503 (`deduplication_full`).
 *
 * @param options.maxEntries the maximum number of requests in the store (default 100,000, about 20 MB)
 * @param options.now the clock, for tests
 * @throws {ConfigurationError} `invalid_option` unless `maxEntries` is an integer of at least 1
 *
 * @example
 * ```ts
 * import { memoryDeduplication } from "@offers/webhook-kit";
 * import { webhookRouter } from "@offers/webhook-kit/express";
 *
 * webhookRouter({ secret: "5f0c9a7e-2d43-4f0e-9b7a-0d6f3c1e8a52", deduplication: memoryDeduplication({ maxEntries: 10_000 }) });
 * ```
 */
export function memoryDeduplication(
  options: {
    /** The maximum number of requests in the store. @default 100_000 */
    maxEntries?: number | undefined;
    /** The clock, for tests. */
    now?: (() => Date) | undefined;
  } = {},
): Deduplication {
  rejectUnknownOptions("memoryDeduplication", options, ["maxEntries", "now"]);
  const { maxEntries = 100_000, now } = options;
  if (!Number.isSafeInteger(maxEntries) || maxEntries < 1)
    throw new ConfigurationError("invalid_option", "maxEntries must be an integer of at least 1.");

  /** The leases of requests whose handlers are running, by key. */
  const leases = new Map<string, Lease>();
  /** The last completed request of each subject; earlier ones no longer count. */
  const completed = new Map<string, Completed>();
  let nextToken = 1;
  let nextFullSweepAt = 0;

  const readClock = now ? () => requireFinite(now().getTime()) : Date.now;

  /** Removes expired entries. Both maps keep their entries in insertion order, so the oldest come first. */
  const sweep = (time: number, maxScanned: number): void => {
    sweepMap(leases, time, maxScanned);
    sweepMap(completed, time, maxScanned);
  };

  /** Makes room for one entry. @throws {UnavailableError} `deduplication_full` */
  const makeRoom = (time: number): void => {
    // Scan more entries than were added since the last batch, so that the removal keeps up.
    if (nextToken % sweepInterval === 0) sweep(time, 2 * sweepInterval);
    if (leases.size + completed.size < maxEntries) return;
    // Entries with a longer keepMs may precede expired ones. A full sweep is expensive, so it runs at most once a second.
    if (time >= nextFullSweepAt) {
      nextFullSweepAt = time + 1_000;
      sweep(time, Number.POSITIVE_INFINITY);
    }
    if (leases.size + completed.size >= maxEntries)
      throw new UnavailableError(
        "deduplication_full",
        "The deduplication store is full; raise maxEntries or share a larger store.",
      );
  };

  return {
    acquire(key, { leaseMs, subject = key }) {
      const time = readClock();
      const lastCompleted = completed.get(subject);
      if (lastCompleted?.key === key && lastCompleted.endsAt > time)
        return { state: "completed", status: lastCompleted.status };
      const lease = leases.get(key);
      if (lease && lease.endsAt > time) return { state: "inProgress", retryAfterMs: lease.endsAt - time };
      // Delete an expired lease first, so that the map stays in insertion order.
      if (lease) leases.delete(key);
      else makeRoom(time);
      const token = String(nextToken++);
      leases.set(key, { subject, token, endsAt: requireFinite(time + leaseMs) });
      return { state: "acquired", token };
    },
    complete(key, token, status, keepMs) {
      const lease = leases.get(key);
      if (lease?.token !== token) return;
      const time = readClock();
      const endsAt = requireFinite(time + keepMs);
      leases.delete(key);
      // An expired lease does not count, even if no other request has acquired the key.
      if (lease.endsAt <= time) return;
      // Delete the older record first, so that the map stays in order of completion.
      completed.delete(lease.subject);
      completed.set(lease.subject, { key, status, endsAt });
    },
    release(key, token) {
      if (leases.get(key)?.token === token) leases.delete(key);
    },
  };
}

function sweepMap(entries: Map<string, Lease | Completed>, time: number, maxScanned: number): void {
  let scannedCount = 0;
  for (const [key, { endsAt }] of entries) {
    if (endsAt <= time) entries.delete(key);
    scannedCount += 1;
    if (scannedCount >= maxScanned) break;
  }
}

/** Rejects a time that is not finite, because with NaN every entry would look expired to `acquire`. */
function requireFinite(time: number): number {
  if (Number.isFinite(time)) return time;
  throw new UnavailableError("deduplication_failed", "now() or keepMs is not a finite number.");
}
