import type { Classification } from "../errors/connection-errors.ts";
import { AbortedError, TimeoutError } from "../errors/error-classes.ts";
import { type CallContext, toOffersError } from "../errors/failure.ts";

/**
 * Runs `work` until it settles, the time is up or the caller aborts, then removes its timer and listener. It settles even when `work`
 * ignores the signal that it receives.
 *
 * @param call the context for the error, which becomes the rejection and the signal's reason when the time is up or the caller aborts
 * @param callerSignal if it is already aborted, `work` is not called
 * @param meaning what an error thrown by `work` means; by default, that `fetch` failed
 */
export function withTimeout<T>(
  call: CallContext,
  limitMs: number,
  callerSignal: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
  meaning?: () => Classification | undefined,
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
      // Aborted before rejecting: Node's fetch gives the reason a new stack when it rejects with it.
      controller.abort(reason);
      reject(reason);
    };
    // Before the timer is set, because a value that is not a signal throws here.
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
        if (!controller.signal.aborted) reject(toOffersError(thrown, call, meaning?.()));
      },
    );
  });
}

/** Waits for `delayMs`. Rejects with an `AbortedError` when `signal` is aborted. */
export const sleep = (call: CallContext, delayMs: number, signal: AbortSignal | undefined): Promise<void> =>
  withTimeout<void>(call, delayMs, signal, () => new Promise(() => {})).catch((error) => {
    if (signal?.aborted) throw error;
  });
