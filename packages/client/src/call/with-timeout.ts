import { AbortedError } from "../errors/error-classes.ts";
import { Failure } from "../errors/failure.ts";

/**
 * Runs `work` until it settles, the time is over or the caller aborts, and leaves no timer and no listener behind. It settles
 * even when `work` ignores the signal that it is given.
 *
 * @param caller if it is aborted already, `work` is not called
 * @param reasonOf what it rejects with, and what the signal's reason is; the argument is the caller's abort, or undefined
 *   when the time is over
 */
export function withTimeout<T>(
  limitMs: number,
  caller: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
  reasonOf: (aborted?: Failure) => unknown,
): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const controller = new AbortController();
    const end = () => {
      clearTimeout(timer);
      caller?.removeEventListener("abort", stop);
    };
    const stop = () => {
      end();
      const message = "the request was aborted; see cause";
      const reason = reasonOf(
        caller?.aborted ? new Failure(AbortedError, message, { cause: caller.reason }) : undefined,
      );
      // Only here: aborting work that has settled costs as much as the rest of a call. First, for Node's fetch gives the reason
      // a new stack when it rejects with it.
      controller.abort(reason);
      reject(reason);
    };
    // Before the timer is set: a signal that is not one throws here.
    caller?.addEventListener("abort", stop);
    const timer = setTimeout(stop, limitMs);
    if (caller?.aborted) return stop();
    work(controller.signal).then(
      (value) => {
        end();
        resolve(value);
      },
      (thrown) => {
        end();
        reject(thrown);
      },
    );
  });
}

/** Waits. Rejects with a failure as soon as `signal` is aborted. */
export const sleep = (delayMs: number, signal: AbortSignal | undefined): Promise<void> =>
  withTimeout<void>(
    delayMs,
    signal,
    () => new Promise(() => {}),
    (aborted) => aborted,
  ).catch((aborted) => {
    if (aborted) throw aborted;
  });
