import { isWebhookKitError, type UnavailableError } from "../errors.ts";
import type { WebhookResponse } from "../http/response.ts";
import type { DedupeKeys } from "./dedupe-keys.ts";
import type { Deduplication } from "./deduplication.ts";
import { LeaseSet } from "./lease-set.ts";

/** A handler that has started. It cannot be stopped, so it may run past its timeout. */
export interface RunningHandler {
  /** Rejects as `outcome` does, or with `handler_timed_out` (D-25). */
  readonly response: Promise<WebhookResponse>;
  /** Settles when the handler ends, timed out or not. */
  readonly outcome: Promise<WebhookResponse>;
}

/** A lease outlasts a handler that ends in time, so it expires only when the handler does not or the process has crashed. */
const leaseMarginMs = 1_000;

/**
 * Deduplication of a webhook: starts a handler once its request holds a lease on every key, and records its outcome.
 *
 * @throws {Rejected} (rejects) as {@link LeaseSet.acquire} does
 * @throws {UnavailableError} (rejects) when the store fails before the handler has started
 * @throws {HandlerError} (rejects) as the handler's response does
 */
export async function deduplicate(
  settings: { readonly deduplication: Deduplication | false; readonly handlerTimeoutMs: number },
  { keys, keepMs }: DedupeKeys,
  report: (error: UnavailableError) => void,
  start: () => RunningHandler,
): Promise<{ readonly response: WebhookResponse; readonly duplicate: boolean }> {
  const { deduplication, handlerTimeoutMs } = settings;
  if (!deduplication || keys.length === 0) return { response: await start().response, duplicate: false };
  const leases = new LeaseSet(deduplication, report);
  // A handler that has timed out gets as long again before the same request may start another beside it.
  const earlier = await leases.acquire(keys, 2 * handlerTimeoutMs + leaseMarginMs);
  if (earlier) return { response: earlier, duplicate: true };
  const { response, outcome } = start();
  // The leases follow the handler, not its response: after a timeout the handler still runs.
  const recorded = outcome.then(
    ({ status }) => leases.complete(status, keepMs),
    (error) => leases.release(error),
  );
  try {
    const inTime = await response;
    await recorded;
    return { response: inTime, duplicate: false };
  } catch (error) {
    if (!isWebhookKitError(error) || error.code !== "handler_timed_out") await recorded;
    throw error;
  }
}
