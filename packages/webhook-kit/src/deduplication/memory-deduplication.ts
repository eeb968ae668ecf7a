import { ConfigurationError, UnavailableError } from "../errors.ts";
import type { Deduplication } from "./deduplication.ts";

/** One object from the claim to its end: every one that a receipt keeps is one more for the collector to carry along. */
interface Receipt {
  readonly key: string;
  readonly subject: string;
  token: string;
  /** 0 while its handler is at work. */
  status: number;
  endsAt: number;
}

/** Every so many claims, so many entries are looked at to make room: no claim pays for all, and most for none. */
const sweepInterval = 64;

/**
 * Deduplication in this process's memory: right for one process, lost when it ends. Nothing is evicted before its time; a full
 * store answers 503 rather than forget (`deduplication_full`).
 *
 * @param options.maxEntries how many are held at once (default 100,000, about 25 MB)
 * @param options.now the clock, for tests
 * @throws {ConfigurationError} `invalid_option` unless `maxEntries` is a whole number of at least 1
 *
 * @example
 * ```ts
 * import { memoryDeduplication } from "@offers/webhook-kit";
 * import { webhookRouter } from "@offers/webhook-kit/express";
 *
 * webhookRouter({ secret: "5f0c9a7e-2d43-4f0e-9b7a-0d6f3c1e8a52", deduplication: memoryDeduplication({ maxEntries: 10_000 }) });
 * ```
 */
export function memoryDeduplication(options: { maxEntries?: number; now?: () => Date } = {}): Deduplication {
  const { maxEntries = 100_000, now } = options;
  if (!Number.isSafeInteger(maxEntries) || maxEntries < 1)
    throw new ConfigurationError("invalid_option", "maxEntries must be a whole number of at least 1.");

  /** Those whose handler is at work, by key. */
  const leases = new Map<string, Receipt>();
  /** What was completed last, by subject; an earlier one counts no longer, and so needs no room. */
  const done = new Map<string, Receipt>();
  let nextToken = 1;
  let nextSearchAt = 0;

  let start: number | undefined;
  const readClock = (): number => {
    const time = finite(now ? now().getTime() : Date.now());
    // Counted from the first: the numbers stay small, and small ones cost no memory of their own.
    start ??= time;
    return time - start;
  };

  /** Both maps keep their entries in the order in which they were written, so that the oldest come first. */
  const sweep = (time: number, most: number): void => {
    sweepOne(leases, time, most);
    sweepOne(done, time, most);
  };

  const makeRoom = (time: number): void => {
    if (nextToken % sweepInterval === 0) sweep(time, 2 * sweepInterval);
    if (leases.size + done.size < maxEntries) return;
    // Something that is kept longer may stand before what has ended; to look through all is dear, so not every time.
    if (time >= nextSearchAt) {
      nextSearchAt = time + 1_000;
      sweep(time, Number.POSITIVE_INFINITY);
    }
    if (leases.size + done.size >= maxEntries)
      throw new UnavailableError(
        "deduplication_full",
        "The receipts store is full; raise maxEntries or share a larger store.",
      );
  };

  return {
    acquire(key, { leaseMs, subject = key }) {
      const time = readClock();
      const last = done.get(subject);
      if (last?.key === key && last.endsAt > time) return { state: "completed", status: last.status };
      const lease = leases.get(key);
      if (lease && lease.endsAt > time) return { state: "inProgress", retryAfterMs: lease.endsAt - time };
      if (lease) leases.delete(key);
      else makeRoom(time);
      const token = String(nextToken++);
      leases.set(key, { key, subject, token, status: 0, endsAt: finite(time + leaseMs) });
      return { state: "acquired", token };
    },
    complete(key, token, status, keepMs) {
      const receipt = leases.get(key);
      if (receipt?.token !== token) return;
      const time = readClock();
      const endsAt = finite(time + keepMs);
      leases.delete(key);
      if (receipt.endsAt <= time) return;
      receipt.token = "";
      receipt.status = status;
      receipt.endsAt = endsAt;
      // Anew, so that the entries stay in the order of their completion.
      done.delete(receipt.subject);
      done.set(receipt.subject, receipt);
    },
    release(key, token) {
      if (leases.get(key)?.token === token) leases.delete(key);
    },
  };
}

function sweepOne(entries: Map<string, Receipt>, time: number, most: number): void {
  let looked = 0;
  for (const [key, { endsAt }] of entries) {
    if (endsAt <= time) entries.delete(key);
    looked += 1;
    if (looked >= most) break;
  }
}

/** A time that is none would make every receipt look as if it had ended. */
function finite(time: number): number {
  if (Number.isFinite(time)) return time;
  throw new UnavailableError("deduplication_failed", "The clock, or how long to hold a receipt, is no number.");
}
