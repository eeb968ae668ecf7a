import { isWebhookKitError, UnavailableError } from "../errors.ts";
import { lookUpTimeoutMs } from "../generated/decisions.ts";
import { rejectRequest } from "../http/rejected.ts";
import { acknowledged, type WebhookResponse } from "../http/response.ts";
import { withTimeout } from "../http/with-timeout.ts";
import type { DedupeKey } from "./dedupe-keys.ts";
import type { AcquireResult, Deduplication } from "./deduplication.ts";

/** The leases that one request holds while its handler runs. */
export class LeaseSet {
  readonly #store: Deduplication;
  readonly #report: (error: UnavailableError) => void;
  readonly #leases: { readonly key: string; readonly token: string }[] = [];
  /** Causes that are reported already: two leases, or a store and a handler, may fail because the same database does. */
  readonly #reported: unknown[] = [];

  constructor(store: Deduplication, report: (error: UnavailableError) => void) {
    this.#store = store;
    this.#report = report;
  }

  /**
   * Acquires all keys, or none.
   *
   * @returns the response of a request that was completed before; undefined once all keys are acquired
   * @throws {Rejected} (rejects) `request_in_progress`, or the key's own conflict
   * @throws {UnavailableError} (rejects) when the store fails
   */
  async acquire(keys: readonly DedupeKey[], leaseMs: number): Promise<WebhookResponse | undefined> {
    for (const { key, subject, onConflict } of keys) {
      const result = await this.#acquireOne(key, leaseMs, subject);
      if (result.state === "acquired") {
        this.#leases.push({ key, token: result.token });
        continue;
      }
      await this.release();
      if (onConflict) throw onConflict();
      if (result.state === "completed") return { ...acknowledged, status: result.status };
      const seconds = Math.max(1, Math.ceil(result.retryAfterMs / 1000));
      throw rejectRequest("request_in_progress", { headers: { "retry-after": String(seconds) } });
    }
    return undefined;
  }

  complete(status: number, keepMs: number): Promise<void> {
    return this.#forEach((key, token) => this.#store.complete(key, token, status, keepMs));
  }

  /** @param because the failure that is the reason, which is reported elsewhere */
  release(because?: unknown): Promise<void> {
    if (isWebhookKitError(because)) this.#reported.push(because.cause);
    return this.#forEach((key, token) => this.#store.release(key, token));
  }

  async #acquireOne(key: string, leaseMs: number, subject: string | undefined): Promise<AcquireResult> {
    try {
      const result = await inTime(this.#store.acquire(key, { leaseMs, subject }));
      if (isAcquireResult(result)) return result;
      throw new Error("acquire() returned an unknown state, or one without its token, milliseconds or HTTP status.");
    } catch (cause) {
      const failure = isWebhookKitError(cause) ? cause : storeFailed(cause);
      await this.release(failure);
      throw failure;
    }
  }

  /** A failure here is reported and changes no response: whether the handler ran is already known. */
  async #forEach(step: (key: string, token: string) => void | Promise<void>): Promise<void> {
    await Promise.all(this.#leases.map(({ key, token }) => this.#settle(() => step(key, token))));
  }

  async #settle(step: () => void | Promise<void>): Promise<void> {
    try {
      await inTime(step());
    } catch (cause) {
      if (this.#reported.some((reported) => isSameCause(reported, cause))) return;
      this.#reported.push(cause);
      this.#report(storeFailed(cause));
    }
  }
}

const isSameCause = (one: unknown, other: unknown): boolean =>
  one === other ||
  (one instanceof Error && other instanceof Error && one.name === other.name && one.message === other.message);

/** A store that does not respond must not keep the sender waiting (D-64). A store in memory needs no timer. */
const inTime = <T>(value: T | Promise<T>): T | Promise<T> =>
  typeof (value as Promise<T> | undefined)?.then === "function"
    ? withTimeout(Promise.resolve(value), lookUpTimeoutMs, storeTimedOut, { unref: true })
    : value;

const storeTimedOut = (): Error => new Error("The deduplication store did not respond in time.");

/** A store may be a user's own: an unknown state must not become a 200. */
function isAcquireResult(result: AcquireResult): boolean {
  if (result?.state === "acquired") return typeof result.token === "string";
  if (result?.state === "inProgress") return Number.isFinite(result.retryAfterMs);
  return (
    result?.state === "completed" && Number.isInteger(result.status) && result.status >= 200 && result.status <= 599
  );
}

const storeFailed = (cause: unknown): UnavailableError =>
  new UnavailableError(
    "deduplication_failed",
    "The deduplication store threw, or timed out; the cause of this error says which.",
    { cause },
  );
