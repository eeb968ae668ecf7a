import { isWebhookKitError, UnavailableError } from "../errors.ts";
import { lookUpTimeoutMs } from "../generated/decisions.ts";
import { refuseRequest } from "../http/rejected.ts";
import { acknowledged } from "../http/response.ts";
import { withinTime } from "../http/with-timeout.ts";
import type { Observer } from "../observability/observer.ts";
import type { Outcome } from "../observability/outcome.ts";
import { type Awaitable, after, attempt, fromUser } from "../receive/after.ts";
import type { NeededReceipt } from "./dedupe-keys.ts";
import type { Receipts } from "./deduplication.ts";

type Claim = Awaited<ReturnType<Receipts["claim"]>>;

/** The receipts that a request holds while its handler is at work. */
export class HeldReceipts {
  readonly #receipts: Receipts;
  readonly #observer: Pick<Observer, "failed">;
  readonly #endpoint: string;
  readonly #held: { readonly key: string; readonly token: string }[] = [];
  /** What has been reported of this request, or will be. */
  readonly #known: unknown[] = [];

  constructor(receipts: Receipts, observer: Pick<Observer, "failed">, endpoint: string) {
    this.#receipts = receipts;
    this.#observer = observer;
    this.#endpoint = endpoint;
  }

  /**
   * Takes them all, or none: then it answers what the request is to be told.
   *
   * @throws {UnavailableError} when the store refuses a claim
   */
  claim(needed: readonly NeededReceipt[], leaseMs: number, from = 0): Awaitable<Outcome | undefined> {
    const receipt = needed[from];
    if (!receipt) return undefined;
    return after(this.#claimOne(receipt, leaseMs), (claim) => {
      if (claim.state !== "claimed") return after(this.release(), () => receipt.refuseTaken?.() ?? repeated(claim));
      this.#held.push({ key: receipt.key, token: claim.token });
      return this.claim(needed, leaseMs, from + 1);
    });
  }

  complete(status: number, keepMs: number): Awaitable<unknown> {
    return this.#settle((key, token) => this.#receipts.complete(key, token, status, keepMs));
  }

  /** @param because the failure that makes it necessary, which is reported elsewhere */
  release(because?: unknown): Awaitable<unknown> {
    if (isWebhookKitError(because)) this.#known.push(because.cause);
    return this.#settle((key, token) => this.#receipts.release(key, token));
  }

  #claimOne({ key, subject }: NeededReceipt, leaseMs: number): Awaitable<Claim> {
    return attempt(
      () => after(inTime(this.#receipts.claim(key, { leaseMs, subject })), checkClaim),
      (cause) => {
        const failure = isWebhookKitError(cause) ? cause : receiptsFailed(cause);
        return after(this.release(failure), () => {
          throw failure;
        });
      },
    );
  }

  /** What becomes of a receipt does not change the answer: the handler has run, or it has not. */
  #settle(step: (key: string, token: string) => void | Promise<void>): Awaitable<unknown> {
    let pending: Promise<unknown> | undefined;
    for (const { key, token } of this.#held) {
      const settled = attempt(
        () => inTime(step(key, token)),
        (cause) => this.#report(cause),
      );
      if (settled instanceof Promise) pending = pending ? Promise.all([pending, settled]) : settled;
    }
    return pending;
  }

  /** A reason is reported once: two receipts, or a store and a handler, may fail because the same database does. */
  #report(cause: unknown): void {
    if (this.#known.some((known) => isSameReason(known, cause))) return;
    this.#known.push(cause);
    this.#observer.failed(receiptsFailed(cause), this.#endpoint);
  }
}

const isSameReason = (one: unknown, other: unknown): boolean =>
  one === other ||
  (one instanceof Error && other instanceof Error && one.name === other.name && one.message === other.message);

/** A store that hangs must not hang the sender (D-64). */
function inTime<T>(answer: T | PromiseLike<T>): Awaitable<T> {
  const awaitable = fromUser(answer);
  return awaitable instanceof Promise
    ? withinTime(awaitable, lookUpTimeoutMs, "The receipts store has not answered in time.")
    : awaitable;
}

/** A store may be anybody's: what it should not answer must not become a 200. */
function checkClaim(claim: Claim): Claim {
  if (isClaim(claim)) return claim;
  throw new Error("claim answered none of the three states, or one without its token, milliseconds or HTTP status.");
}

function isClaim(claim: Claim): boolean {
  if (claim?.state === "claimed") return typeof claim.token === "string";
  if (claim?.state === "inFlight") return Number.isFinite(claim.retryAfterMs);
  return claim?.state === "done" && Number.isInteger(claim.status) && claim.status >= 200 && claim.status <= 599;
}

function repeated(claim: Exclude<Claim, { state: "claimed" }>): Outcome {
  if (claim.state === "done") return { answer: { ...acknowledged, status: claim.status }, duplicate: true };
  const seconds = Math.max(1, Math.ceil(claim.retryAfterMs / 1000));
  return refuseRequest("already_in_progress", { headers: { "retry-after": String(seconds) } });
}

const receiptsFailed = (cause: unknown): UnavailableError =>
  new UnavailableError(
    "receipts_failed",
    "The receipts store threw, or took too long; the cause of this error says which.",
    { cause },
  );
