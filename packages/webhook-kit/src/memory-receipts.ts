import { ConfigurationError, UnavailableError } from "./errors.ts";
import type { Receipts } from "./receipts.ts";

interface Receipt {
  /** Undefined once done. */
  token: string | undefined;
  status: number;
  expiresAt: number;
}

/**
 * Receipts in this process's memory: right for one process, lost when it ends. Nothing is evicted before its time; a full
 * store answers 503 rather than forget (`receipts_full`).
 *
 * @param options.maxReceipts how many are held at once (default 100,000, about 20 MB)
 * @param options.now the clock, for tests
 * @throws {ConfigurationError} `invalid_option` unless `maxReceipts` is a whole number of at least 1
 *
 * @example
 * ```ts
 * import { memoryReceipts } from "@offers/webhook-kit";
 * import { webhookRouter } from "@offers/webhook-kit/express";
 *
 * webhookRouter({ secret: "5f0c9a7e-2d43-4f0e-9b7a-0d6f3c1e8a52", receipts: memoryReceipts({ maxReceipts: 10_000 }) });
 * ```
 */
export function memoryReceipts(options: { maxReceipts?: number; now?: () => Date } = {}): Receipts {
  const { maxReceipts = 100_000, now = () => new Date() } = options;
  if (!Number.isSafeInteger(maxReceipts) || maxReceipts < 1)
    throw new ConfigurationError("invalid_option", "maxReceipts must be a whole number of at least 1.");

  const receipts = new Map<string, Receipt>();
  let nextToken = 1;
  // No receipt expires before this; a full store is not searched in vain.
  let nextExpiry = Number.POSITIVE_INFINITY;

  const makeRoom = (time: number): void => {
    if (time >= nextExpiry) {
      nextExpiry = Number.POSITIVE_INFINITY;
      for (const [key, { expiresAt }] of receipts) {
        if (expiresAt <= time) receipts.delete(key);
        else nextExpiry = Math.min(nextExpiry, expiresAt);
      }
    }
    if (receipts.size >= maxReceipts)
      throw new UnavailableError(
        "receipts_full",
        "The receipts store is full; raise maxReceipts or share a larger store.",
      );
  };
  const write = (key: string, receipt: Receipt): void => {
    receipts.set(key, receipt);
    nextExpiry = Math.min(nextExpiry, receipt.expiresAt);
  };

  return {
    claim(key, { leaseMs }) {
      const time = now().getTime();
      const held = receipts.get(key);
      if (held && held.expiresAt > time) {
        if (held.token === undefined) return { state: "done", status: held.status };
        return { state: "inFlight", retryAfterMs: held.expiresAt - time };
      }
      if (!held && receipts.size >= maxReceipts) makeRoom(time);
      const token = String(nextToken++);
      write(key, { token, status: 0, expiresAt: time + leaseMs });
      return { state: "claimed", token };
    },
    complete(key, token, status, keepMs) {
      if (receipts.get(key)?.token !== token) return;
      write(key, { token: undefined, status, expiresAt: now().getTime() + keepMs });
    },
    release(key, token) {
      if (receipts.get(key)?.token === token) receipts.delete(key);
    },
  };
}
