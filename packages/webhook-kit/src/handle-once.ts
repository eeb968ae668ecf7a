import { type Awaitable, after, attempt, isPromiseLike } from "./after.ts";
import { type Answer, acknowledged } from "./answer.ts";
import { type HandlerError, isWebhookKitError, UnavailableError } from "./errors.ts";
import type { ReceiverSettings } from "./options.ts";
import type { Outcome } from "./outcome.ts";
import type { Receipts } from "./receipts.ts";
import { refuseRequest } from "./refusal.ts";
import type { RunningHandler } from "./run-handler.ts";

/** A receipt without which the handler may not start. */
export interface NeededReceipt {
  readonly key: string;
  readonly subject?: string | undefined;
  /** What the request is answered when another one has it; left out, the answer of a repeat (D-45). */
  readonly refuseTaken?: () => Outcome;
}

interface HeldReceipt {
  readonly key: string;
  readonly token: string;
}

/** The lease outlasts a handler that ends in time, so that only one that does not, or a process that died, lets it run out. */
const leaseMarginMs = 1_000;

/**
 * Starts a handler once it holds every receipt that its request needs, and lets the receipts follow what becomes of it.
 *
 * @throws {UnavailableError} when the receipts store refuses a claim
 * @throws {HandlerError} as the handler's answer does
 */
export function handleOnce(
  settings: Pick<ReceiverSettings<never>, "receipts" | "handlerTimeoutMs" | "observer">,
  endpoint: string,
  { needed, keepMs }: { readonly needed: readonly NeededReceipt[]; readonly keepMs: number },
  start: () => RunningHandler,
): Awaitable<Outcome> {
  const { receipts, handlerTimeoutMs, observer } = settings;
  // A handler that overran its time is given as long again before the same request may start another beside it.
  const leaseMs = 2 * handlerTimeoutMs + leaseMarginMs;
  const held: HeldReceipt[] = [];

  // What becomes of a receipt does not change the answer: the handler has run, or it has not.
  const settle = (step: (receipt: HeldReceipt) => unknown): Awaitable<unknown> => {
    const report = (cause: unknown) => observer.failed(receiptsFailed(cause), endpoint);
    const steps = held.map((receipt) => attempt(() => step(receipt), report));
    return steps.some(isPromiseLike) ? Promise.all(steps) : undefined;
  };
  const release = () => settle(({ key, token }) => receipts.release(key, token));
  const complete = ({ status }: Answer) => settle(({ key, token }) => receipts.complete(key, token, status, keepMs));

  const claimFrom = (index: number): Awaitable<Outcome> => {
    const receipt = needed[index];
    if (!receipt) return run();
    const { key, subject, refuseTaken } = receipt;
    return after(claimReceipt(receipts, key, { leaseMs, subject }, release), (claim) => {
      if (claim.state !== "claimed") return after(release(), () => refuseTaken?.() ?? repeated(claim));
      held.push({ key, token: claim.token });
      return claimFrom(index + 1);
    });
  };

  const run = (): Awaitable<Outcome> => {
    let settled: Awaitable<unknown>;
    return attempt(
      () => {
        const { answer, outcome } = start();
        // The receipts follow the handler, not its answer: after a time-out the handler is still at work.
        settled = isPromiseLike(outcome) ? outcome.then(complete, release) : complete(outcome);
        return after(answer, (inTime) => after(settled, () => ({ answer: inTime, duplicate: false })));
      },
      (error) => {
        const fail = (): never => {
          throw error;
        };
        return isTimeout(error) ? fail() : after(settled ?? release(), fail);
      },
    );
  };

  return claimFrom(0);
}

type Claim = Awaited<ReturnType<Receipts["claim"]>>;

function claimReceipt(
  receipts: Receipts,
  key: string,
  options: Parameters<Receipts["claim"]>[1],
  giveBack: () => Awaitable<unknown>,
): Awaitable<Claim> {
  const checked = (claim: Claim): Claim => {
    if (isClaim(claim)) return claim;
    throw new Error("claim answered none of the three states, or one without its token, milliseconds or HTTP status.");
  };
  return attempt(
    () => after(receipts.claim(key, options), checked),
    (cause) =>
      after(giveBack(), () => {
        throw isWebhookKitError(cause) ? cause : receiptsFailed(cause);
      }),
  );
}

/** A store may be anybody's: what it should not answer must not become a 200. */
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

const isTimeout = (error: unknown): boolean =>
  isWebhookKitError(error) && error.code === ("handler_timed_out" satisfies HandlerError["code"]);

const receiptsFailed = (cause: unknown): UnavailableError =>
  new UnavailableError("receipts_failed", "The receipts store threw; see cause.", { cause });
