import { AbortedError, TimeoutError } from "../errors/no-response-errors.ts";

/**
 * Runs `work` until it settles, time runs out or the caller aborts, whichever is first, and leaves neither a timer nor a
 * listener behind. It settles even when `work` ignores the signal that it is given.
 *
 * @param late gives what the error says when time runs out: nothing, unless it is given
 * @throws {TimeoutError} when time runs out
 * @throws {AbortedError} as soon as `caller` is aborted; if it is already, `work` is not begun
 */
export function within<T>(
  limitMs: number,
  caller: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
  late: () => string = String,
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
        ? new AbortedError("the signal was aborted; cause is its reason", { cause: caller.reason })
        : new TimeoutError(late());
      end(Promise.reject(error));
      // Only here: to abort work that has settled costs as much as all the rest of a call.
      controller.abort(error);
    };
    // First, for it throws if it is no signal: then there is no timer yet to be left behind.
    caller?.addEventListener("abort", stop);
    const timer = setTimeout(stop, limitMs);
    if (caller?.aborted) return stop();
    const working = work(controller.signal);
    working.then(end, () => end(working));
  });
}
