import { isError } from "@offers/contract/foreign-objects";
import { isWebhookKitError, UnavailableError } from "../errors/errors.ts";
import { lookUpTimeoutMs } from "../generated/decisions.ts";
import { createRejection } from "../http/rejected.ts";
import { acknowledged, type WebhookResponse } from "../http/response.ts";
import { isThenable, withTimeout } from "../http/timeouts.ts";
import type { DedupeKey, DedupeKeys } from "./dedupe-keys.ts";
import type { AcquireResult, Deduplication } from "./deduplication.ts";

/**
 * A handler that has started. It cannot be stopped, so it may outlast its timeout. The fields are promises only if the handler
 * returned a promise.
 */
export interface RunningHandler {
  /** Rejects like `outcome`, or with `handler_timed_out` (D-25). */
  readonly response: WebhookResponse | Promise<WebhookResponse>;
  /** Settles when the handler ends, even after a timeout. */
  readonly outcome: WebhookResponse | Promise<WebhookResponse>;
}

/** This margin makes a lease expire only if the handler does not end in time or the process crashes. */
const leaseMarginMs = 1_000;

/**
 * Deduplicates a webhook: starts a handler once its request holds a lease on every key, and records the outcome.
 *
 * @throws {Rejected} (rejects) as {@link LeaseSet.acquire} does
 * @throws {UnavailableError} (rejects) if the store fails before the handler starts
 * @throws {HandlerError} (rejects) as the handler's response does
 */
export async function deduplicate(
  settings: { readonly deduplication: Deduplication | false; readonly handlerTimeoutMs: number },
  { keys, keepMs }: Pick<DedupeKeys, "keys" | "keepMs">,
  report: (error: UnavailableError) => void,
  startHandler: () => RunningHandler,
): Promise<{ readonly response: WebhookResponse; readonly duplicate: boolean }> {
  const { deduplication, handlerTimeoutMs } = settings;
  if (!deduplication) return { response: await startHandler().response, duplicate: false };
  const leases = new LeaseSet(deduplication, report);
  // A handler that times out may run for as long again before the same request can start a second handler.
  const earlierResponse = await leases.acquire(keys, 2 * handlerTimeoutMs + leaseMarginMs);
  if (earlierResponse) return { response: earlierResponse, duplicate: true };
  const { response, outcome } = startHandler();
  if (!isThenable(outcome)) {
    await leases.complete(outcome.status, keepMs);
    return { response: outcome, duplicate: false };
  }
  // The leases last until the handler ends, because after a timeout the response is sent while the handler is still running.
  const recording = outcome.then(
    ({ status }) => leases.complete(status, keepMs),
    (error) => leases.release(error),
  );
  try {
    const handlerResponse = await response;
    await recording;
    return { response: handlerResponse, duplicate: false };
  } catch (error) {
    // After a timeout, respond without waiting for the handler, which is still running.
    if (!isWebhookKitError(error) || error.code !== "handler_timed_out") await recording;
    throw error;
  }
}

/** The leases that one request holds while its handler runs. */
export class LeaseSet {
  readonly #store: Deduplication;
  readonly #report: (error: UnavailableError) => void;
  readonly #leases: { readonly key: string; readonly token: string }[] = [];
  /** Causes that were already reported. The same database may cause two leases, or a store and a handler, to fail. */
  readonly #reported: unknown[] = [];

  constructor(store: Deduplication, report: (error: UnavailableError) => void) {
    this.#store = store;
    this.#report = report;
  }

  /**
   * Acquires all keys, or none.
   *
   * @returns the response of an earlier, completed request; undefined once all keys are acquired
   * @throws {Rejected} (rejects) `request_in_progress`, or the key's own conflict
   * @throws {UnavailableError} (rejects) if the store fails
   */
  async acquire(keys: readonly DedupeKey[], leaseMs: number): Promise<WebhookResponse | undefined> {
    for (const { key, subject, onConflict } of keys) {
      const acquiring = this.#acquireKey(key, leaseMs, subject);
      const result = isThenable(acquiring) ? await acquiring : acquiring;
      if (result.state === "acquired") {
        this.#leases.push({ key, token: result.token });
        continue;
      }
      await this.release();
      if (onConflict) throw onConflict();
      if (result.state === "completed") return { ...acknowledged, status: result.status };
      const seconds = Math.max(1, Math.ceil(result.retryAfterMs / 1000));
      throw createRejection("request_in_progress", { headers: { "retry-after": String(seconds) } });
    }
    return undefined;
  }

  /** Completes all keys. @returns a promise only if the store does */
  complete(status: number, keepMs: number): void | Promise<void> {
    return this.#forEachLease((key, token) => this.#store.complete(key, token, status, keepMs));
  }

  /** Releases all keys. @param reason the failure that the caller reports, if any */
  release(reason?: unknown): void | Promise<void> {
    if (isWebhookKitError(reason)) this.#reported.push(reason.cause);
    return this.#forEachLease((key, token) => this.#store.release(key, token));
  }

  /** Acquires one key. If that fails, releases the keys that are already held. */
  #acquireKey(key: string, leaseMs: number, subject: string | undefined): AcquireResult | Promise<AcquireResult> {
    const fail = async (cause: unknown): Promise<never> => {
      const failure = isWebhookKitError(cause) ? cause : wrapStoreError(cause);
      await this.release(failure);
      throw failure;
    };
    try {
      const result = this.#store.acquire(key, { leaseMs, subject });
      return isThenable(result) ? withStoreTimeout(result).then(checkResult).catch(fail) : checkResult(result);
    } catch (cause) {
      return fail(cause);
    }
  }

  /** Runs `step` for each lease. A failure is reported but does not change the response, which is already decided. */
  #forEachLease(step: (key: string, token: string) => void | Promise<void>): void | Promise<void> {
    const pending: Promise<void>[] = [];
    for (const { key, token } of this.#leases)
      try {
        const result = step(key, token);
        if (isThenable(result)) pending.push(withStoreTimeout(result).catch((cause) => this.#reportOnce(cause)));
      } catch (cause) {
        this.#reportOnce(cause);
      }
    if (pending.length > 0) return Promise.all(pending).then(() => undefined);
  }

  #reportOnce(cause: unknown): void {
    if (this.#reported.some((reported) => isSameCause(reported, cause))) return;
    this.#reported.push(cause);
    this.#report(wrapStoreError(cause));
  }
}

const isSameCause = (a: unknown, b: unknown): boolean =>
  a === b || (isError(a) && isError(b) && a.name === b.name && a.message === b.message);

/** Limits how long a store may take, so that it cannot keep the sender waiting (D-64). A synchronous store needs no timer. */
const withStoreTimeout = <T>(value: Promise<T>): Promise<T> =>
  withTimeout(Promise.resolve(value), lookUpTimeoutMs, createStoreTimeoutError, { unref: true });

const createStoreTimeoutError = (): Error => new Error("The deduplication store did not respond in time.");

/** Rejects an invalid result, because a custom store may return one, and an unknown state must not become a 200. */
function checkResult(result: AcquireResult): AcquireResult {
  if (isAcquireResult(result)) return result;
  throw new Error("acquire() returned an unknown state, or a result without its token, retryAfterMs or status.");
}

function isAcquireResult(result: AcquireResult): boolean {
  if (result?.state === "acquired") return typeof result.token === "string";
  if (result?.state === "inProgress") return Number.isFinite(result.retryAfterMs);
  return (
    result?.state === "completed" && Number.isInteger(result.status) && result.status >= 200 && result.status <= 599
  );
}

const wrapStoreError = (cause: unknown): UnavailableError =>
  new UnavailableError("deduplication_failed", "The deduplication store threw or timed out; see this error's cause.", {
    cause,
  });
