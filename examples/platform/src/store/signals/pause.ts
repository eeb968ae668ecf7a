import { setTimeout } from "node:timers/promises";

/** Resolves after so long, or when `signal` ends the wait. */
export const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  setTimeout(ms, undefined, { signal }).catch(() => undefined);

/** Twice as long after each failure in a row: from a quarter of a second to half a minute. */
export const growingPauseMs = (failures: number): number => Math.min(125 * 2 ** failures, 30_000);
