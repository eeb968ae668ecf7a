import { type HandlerError, isWebhookKitError } from "../errors.ts";
import type { Answer } from "../http/response.ts";
import type { Outcome } from "../observability/outcome.ts";
import type { ReceiverSettings } from "../options/options.ts";
import { type Awaitable, after } from "../receive/after.ts";
import type { RunningHandler } from "../receive/run-handler.ts";
import type { NeededReceipts } from "./dedupe-keys.ts";
import { HeldReceipts } from "./lease-set.ts";

/** The lease outlasts a handler that ends in time, so that only one that does not, or a process that died, lets it run out. */
const leaseMarginMs = 1_000;

/**
 * Starts a handler once it holds every receipt that its request needs, and lets the receipts follow what becomes of it.
 *
 * @throws {UnavailableError} when the receipts store refuses a claim
 * @throws {HandlerError} as the handler's answer does
 */
export function handleOnce(
  { receipts, handlerTimeoutMs, observer }: Pick<ReceiverSettings<never>, "receipts" | "handlerTimeoutMs" | "observer">,
  endpoint: string,
  { needed, keepMs }: NeededReceipts,
  start: () => RunningHandler,
): Awaitable<Outcome> {
  if (!receipts || needed.length === 0) return after(start().answer, handled);
  // A handler that overran its time is given as long again before the same request may start another beside it.
  const leaseMs = 2 * handlerTimeoutMs + leaseMarginMs;
  const held = new HeldReceipts(receipts, observer, endpoint);
  return after(held.claim(needed, leaseMs), (taken) => taken ?? runHeld(held, keepMs, start));
}

function runHeld(held: HeldReceipts, keepMs: number, start: () => RunningHandler): Awaitable<Outcome> {
  let running: RunningHandler;
  try {
    running = start();
  } catch (error) {
    return after(held.release(error), () => {
      throw error;
    });
  }
  const { answer, outcome } = running;
  if (!(answer instanceof Promise)) return after(held.complete(answer.status, keepMs), () => handled(answer));
  // The receipts follow the handler, not its answer: after a time-out the handler is still at work.
  const settled = Promise.resolve(outcome).then(
    ({ status }) => held.complete(status, keepMs),
    (error) => held.release(error),
  );
  return answer.then(
    (inTime) => settled.then(() => handled(inTime)),
    async (error) => {
      if (!isTimeout(error)) await settled;
      throw error;
    },
  );
}

const handled = (answer: Answer): Outcome => ({ answer, duplicate: false });

const isTimeout = (error: unknown): boolean =>
  isWebhookKitError(error) && error.code === ("handler_timed_out" satisfies HandlerError["code"]);
