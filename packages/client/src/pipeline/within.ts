import { AbortedError } from "../errors/exchange-errors.ts";

/**
 * Runs `work` until it settles, time runs out or the caller aborts, whichever is first, and leaves neither a timer nor a
 * listener behind. It settles even when `work` ignores the signal that it is given.
 *
 * @param late decides how it ends when time runs out
 * @throws {AbortedError} as soon as `caller` is aborted; if it is already, `work` is not begun
 */
export function within<T>(
  limitMs: number,
  caller: AbortSignal | undefined,
  late: () => Promise<T>,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const controller = new AbortController();
    const end = (settle: () => void) => {
      clearTimeout(timer);
      caller?.removeEventListener("abort", onAbort);
      settle();
    };
    // Work that has settled is not aborted: that costs as much as all the rest of a call.
    const stop = (how: Promise<T>) =>
      end(() => {
        resolve(how);
        controller.abort();
      });
    const onAbort = () => stop(Promise.reject(new AbortedError("The signal was aborted", { cause: caller?.reason })));
    const timer = setTimeout(() => stop(late()), limitMs);
    if (caller?.aborted) return onAbort();
    caller?.addEventListener("abort", onAbort);
    work(controller.signal).then(
      (result) => end(() => resolve(result)),
      (thrown) => end(() => reject(thrown)),
    );
  });
}
