import { withTimeout } from "./with-timeout.ts";

/** Time and randomness, passed in so that a test controls both. */
export interface Clock {
  /** Milliseconds that never run backwards. */
  now(): number;
  /** At least 0, less than 1. */
  random(): number;
  /** @throws {AbortedError} as soon as `signal` is aborted */
  sleep(delayMs: number, signal: AbortSignal | undefined): Promise<void>;
}

export const systemClock: Clock = {
  now: () => performance.now(),
  random: () => Math.random(),
  sleep: (delayMs, signal) =>
    withTimeout(delayMs, signal, () => new Promise<void>(() => {})).catch((error) => {
      if (error.code !== "timeout") throw error;
    }),
};
