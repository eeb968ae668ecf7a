import { type Answer, acknowledged } from "./answer.ts";
import { type HandlerError, isWebhookKitError, UnavailableError } from "./errors.ts";
import type { ReceiverSettings } from "./options.ts";
import { type Refusal, refuseRequest } from "./refusal.ts";
import type { RunningHandler } from "./run-handler.ts";

/** The lease outlasts a handler that ends in time, so that only one that does not, or a process that died, lets it run out. */
const leaseMarginMs = 1_000;

/**
 * Starts an event's handler unless an identical request has been acknowledged or is being handled (D-45).
 *
 * @throws {UnavailableError} when the receipts store refuses the claim
 * @throws {HandlerError} as the handler's answer does
 */
export async function handleOnce(
  { receipts, handlerTimeoutMs, observer }: Pick<ReceiverSettings<never>, "receipts" | "handlerTimeoutMs" | "observer">,
  endpoint: string,
  { key, keepMs }: { readonly key: string; readonly keepMs: number },
  start: () => RunningHandler,
): Promise<Answer | Refusal> {
  // A handler that overran its time is given as long again before the same request may start another beside it.
  const leaseMs = 2 * handlerTimeoutMs + leaseMarginMs;
  const claim = await claimReceipt(() => receipts.claim(key, { leaseMs }));
  if (claim.state === "inFlight") {
    const seconds = Math.max(1, Math.ceil(claim.retryAfterMs / 1000));
    return refuseRequest("already_in_progress", { headers: { "retry-after": String(seconds) } });
  }
  if (claim.state === "done") {
    observer.handled(endpoint, true);
    return { ...acknowledged, status: claim.status };
  }
  const { token } = claim;
  // What becomes of the receipt does not change the answer: the handler has run, or it has not.
  const settle = async (step: () => unknown) => {
    try {
      await step();
    } catch (cause) {
      observer.failed(receiptsFailed(cause), endpoint);
    }
  };
  const { answer, outcome } = start();
  // The receipt follows the handler, not its answer: after a time-out the handler is still at work.
  const settled = outcome.then(
    ({ status }) => settle(() => receipts.complete(key, token, status, keepMs)),
    () => settle(() => receipts.release(key, token)),
  );
  try {
    const inTime = await answer;
    observer.handled(endpoint, false);
    await settled;
    return inTime;
  } catch (error) {
    if (!isTimeout(error)) await settled;
    throw error;
  }
}

const isTimeout = (error: unknown): boolean =>
  isWebhookKitError(error) && error.code === ("handler_timed_out" satisfies HandlerError["code"]);

async function claimReceipt<T>(claim: () => T | Promise<T>): Promise<T> {
  try {
    return await claim();
  } catch (cause) {
    throw isWebhookKitError(cause) ? cause : receiptsFailed(cause);
  }
}

const receiptsFailed = (cause: unknown): UnavailableError =>
  new UnavailableError("receipts_failed", "The receipts store threw; see cause.", { cause });
