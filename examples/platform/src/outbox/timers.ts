import { setImmediate } from "node:timers/promises";

export interface Loop {
  /** Ends the current pause. Call it after a commit that created work. */
  wake(): void;
  /** Stops the loop. Resolves when the current tick has ended. */
  stop(): Promise<void>;
}

const pauseAfterErrorMs = 1_000;
/** The longest timer delay that Node supports. */
const longestPauseMs = 2 ** 31 - 1;

/**
 * Calls `tick` in a loop. Each call starts after the previous one has ended.
 *
 * @param tick returns how long to pause before the next call, in milliseconds: 0 if there may be more to do
 * @param onError called with an error that a tick throws; the loop continues after a second
 */
export function runLoop(tick: () => Promise<number>, onError: (error: unknown) => void): Loop {
  let isStopping = false;
  let isWoken = false;
  let endPause: (() => void) | undefined;

  const pause = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, Math.min(ms, longestPauseMs));
      endPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });

  const runUntilStopped = async (): Promise<void> => {
    while (!isStopping) {
      isWoken = false;
      try {
        const pauseMs = await tick();
        if (pauseMs <= 0 || isWoken || isStopping) continue;
        await pause(pauseMs);
        // A commit's signal and the attempts that it settled wake the loop in the same turn. Wait, so that they cause only one tick.
        await setImmediate();
      } catch (error) {
        onError(error);
        if (!isStopping) await pause(pauseAfterErrorMs);
      }
    }
  };
  const running = runUntilStopped();

  const wake = (): void => {
    isWoken = true;
    endPause?.();
  };
  return {
    wake,
    stop() {
      isStopping = true;
      wake();
      return running;
    },
  };
}

/** Resolves with the result of `work`, or rejects after `limitMs`. Does not cancel the work. */
export async function withTimeout<T>(work: Promise<T>, limitMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`timed out after ${limitMs} ms`)), limitMs);
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
