import type { Clock } from "../request/clock.ts";

const firstDelayMs = 500;
const maxDelayMs = 8_000;

/**
 * Exponential backoff with jitter (D-50): half of the delay is fixed and half random, so that clients that failed together do
 * not retry together.
 *
 * @param retries how many there have been
 */
export const backoffMs = (retries: number, clock: Clock): number =>
  Math.min(firstDelayMs * 2 ** retries, maxDelayMs) * (0.5 + clock.random() / 2);
