import { isWebhookKitError, UnavailableError } from "../errors.ts";
import { lookUpTimeoutMs } from "../generated/decisions.ts";
import { rejectRequest } from "../http/rejected.ts";
import { type Answer, acknowledged } from "../http/response.ts";
import { withTimeout } from "../http/with-timeout.ts";
import type { DedupeKey } from "./dedupe-keys.ts";
import type { ReceiptClaim, Receipts } from "./deduplication.ts";

/** The leases that one request holds while its handler runs. */
export class LeaseSet {
  readonly #store: Receipts;
  readonly #report: (error: UnavailableError) => void;
  readonly #leases: { readonly key: string; readonly token: string }[] = [];
  /** Causes that are reported already: two leases, or a store and a handler, may fail because the same database does. */
  readonly #reported: unknown[] = [];

  constructor(store: Receipts, report: (error: UnavailableError) => void) {
    this.#store = store;
    this.#report = report;
  }

  /**
   * Acquires all keys, or none.
   *
   * @returns the response of a request that was completed before; undefined once all keys are acquired
   * @throws {Rejected} (rejects) `already_in_progress`, or the key's own conflict
   * @throws {UnavailableError} (rejects) when the store fails
   */
  async acquire(keys: readonly DedupeKey[], leaseMs: number): Promise<Answer | undefined> {
    for (const { key, subject, onConflict } of keys) {
      const claim = await this.#acquireOne(key, leaseMs, subject);
      if (claim.state === "claimed") {
        this.#leases.push({ key, token: claim.token });
        continue;
      }
      await this.release();
      if (onConflict) throw onConflict();
      if (claim.state === "done") return { ...acknowledged, status: claim.status };
      const seconds = Math.max(1, Math.ceil(claim.retryAfterMs / 1000));
      throw rejectRequest("already_in_progress", { headers: { "retry-after": String(seconds) } });
    }
    return undefined;
  }

  async complete(status: number, keepMs: number): Promise<void> {
    await this.#forEach((key, token) => this.#store.complete(key, token, status, keepMs));
  }

  /** @param because the failure that is the reason, which is reported elsewhere */
  async release(because?: unknown): Promise<void> {
    if (isWebhookKitError(because)) this.#reported.push(because.cause);
    await this.#forEach((key, token) => this.#store.release(key, token));
  }

  async #acquireOne(key: string, leaseMs: number, subject: string | undefined): Promise<ReceiptClaim> {
    try {
      const claim = await inTime(this.#store.claim(key, { leaseMs, subject }));
      if (isClaim(claim)) return claim;
      throw new Error("claim() returned an unknown state, or one without its token, milliseconds or HTTP status.");
    } catch (cause) {
      const failure = isWebhookKitError(cause) ? cause : storeFailed(cause);
      await this.release(failure);
      throw failure;
    }
  }

  /** A failure here is reported and changes no response: whether the handler ran is already known. */
  async #forEach(step: (key: string, token: string) => void | Promise<void>): Promise<void> {
    const settle = async ({ key, token }: { key: string; token: string }) => {
      try {
        await inTime(step(key, token));
      } catch (cause) {
        if (this.#reported.some((reported) => isSameCause(reported, cause))) return;
        this.#reported.push(cause);
        this.#report(storeFailed(cause));
      }
    };
    await Promise.all(this.#leases.map(settle));
  }
}

const isSameCause = (one: unknown, other: unknown): boolean =>
  one === other ||
  (one instanceof Error && other instanceof Error && one.name === other.name && one.message === other.message);

/** A store that does not respond must not keep the sender waiting (D-64). A store in memory needs no timer. */
const inTime = <T>(value: T | Promise<T>): T | Promise<T> =>
  typeof (value as Promise<T> | undefined)?.then === "function"
    ? withTimeout(Promise.resolve(value), lookUpTimeoutMs, "The receipts store has not answered in time.")
    : value;

/** A store may be a user's own: an unknown state must not become a 200. */
function isClaim(claim: ReceiptClaim): boolean {
  if (claim?.state === "claimed") return typeof claim.token === "string";
  if (claim?.state === "inFlight") return Number.isFinite(claim.retryAfterMs);
  return claim?.state === "done" && Number.isInteger(claim.status) && claim.status >= 200 && claim.status <= 599;
}

const storeFailed = (cause: unknown): UnavailableError =>
  new UnavailableError(
    "receipts_failed",
    "The receipts store threw, or took too long; the cause of this error says which.",
    { cause },
  );
