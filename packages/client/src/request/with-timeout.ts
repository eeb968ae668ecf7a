import { AbortedError, TimeoutError } from "../errors/no-response-errors.ts";
import { unannotated } from "../errors/unannotated.ts";

/**
 * Runs `work` until it settles, the time is over or the caller aborts, and leaves no timer and no listener behind. It settles
 * even when `work` ignores the signal that it is given.
 *
 * @param timeoutMessage called for the error's message when the time is over
 * @throws {TimeoutError} when the time is over
 * @throws {AbortedError} as soon as `caller` is aborted; if it is already, `work` is not called
 */
export function withTimeout<T>(
  limitMs: number,
  caller: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
  timeoutMessage: () => string = String,
): Promise<T> {
  return new Promise<T>((resolve) => {
    const controller = new AbortController();
    const end = (how: Promise<T> | T) => {
      clearTimeout(timer);
      caller?.removeEventListener("abort", stop);
      resolve(how);
    };
    const stop = () => {
      const error = caller?.aborted
        ? new AbortedError("the request was aborted; see cause", {
            cause: caller.reason,
            [unannotated]: true,
          })
        : new TimeoutError(timeoutMessage(), { [unannotated]: true });
      end(Promise.reject(error));
      // Only here: aborting work that has settled costs as much as the rest of a call.
      controller.abort(error);
    };
    // Before the timer is set: a signal that is not one throws here.
    caller?.addEventListener("abort", stop);
    const timer = setTimeout(stop, limitMs);
    if (caller?.aborted) return stop();
    const working = work(controller.signal);
    working.then(end, () => end(working));
  });
}
