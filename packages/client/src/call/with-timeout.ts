import type { Classification } from "../errors/connection-errors.ts";
import { AbortedError, TimeoutError } from "../errors/error-classes.ts";
import { type CallContext, toOffersError } from "../errors/failure.ts";

/**
 * Runs `work` until it settles, the time is up or the caller aborts, then removes the timer and the listener. The returned promise settles
 * even if `work` ignores its signal.
 *
 * @param call the context for the errors
 * @param callerSignal if it is already aborted, `work` is not called
 * @param classify returns the meaning of an error that `work` threw; by default, `fetch` failed
 */
export function withTimeout<T>(
  call: CallContext,
  limitMs: number,
  callerSignal: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
  classify?: () => Classification | undefined,
): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const controller = new AbortController();
    const cleanUp = () => {
      clearTimeout(timer);
      callerSignal?.removeEventListener("abort", abort);
    };
    const abort = () => {
      cleanUp();
      const reason = toOffersError(
        callerSignal?.aborted
          ? new AbortedError("aborted; see cause", { cause: callerSignal.reason })
          : new TimeoutError(`no response within ${Math.ceil(limitMs)} ms; see timeoutMs and totalTimeoutMs`),
        call,
      );
      // Abort before rejecting, because Node's fetch changes the stack of the reason that it rejects with.
      controller.abort(reason);
      reject(reason);
    };
    // Added before the timer is set, because this line throws if the value is not a signal.
    callerSignal?.addEventListener("abort", abort);
    const timer = setTimeout(abort, limitMs);
    if (callerSignal?.aborted) return abort();
    work(controller.signal).then(
      (value) => {
        cleanUp();
        resolve(value);
      },
      (thrown) => {
        cleanUp();
        // After `abort`, the promise has already been rejected.
        if (!controller.signal.aborted) reject(toOffersError(thrown, call, classify?.()));
      },
    );
  });
}

/** Waits for `delayMs`. Rejects with an `AbortedError` when `signal` is aborted. */
export const sleep = (call: CallContext, delayMs: number, signal: AbortSignal | undefined): Promise<void> =>
  // The work never settles, so a rejection without an abort means that the delay has passed.
  withTimeout<void>(call, delayMs, signal, () => new Promise(() => {})).catch((error) => {
    if (signal?.aborted) throw error;
  });
