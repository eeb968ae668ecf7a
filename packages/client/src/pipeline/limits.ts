import { refusal } from "../errors/refusal.ts";
import {
  maxResponseBytes,
  maxRetries,
  maxRetryAfterMs,
  timeoutMs,
  totalTimeoutMs,
  watchIntervalMs,
} from "../generated/decisions.ts";

export const defaultLimits = {
  timeoutMs,
  totalTimeoutMs,
  maxRetries,
  maxRetryAfterMs,
  maxResponseBytes,
  pollIntervalMs: watchIntervalMs,
};

export type Limits = Readonly<Record<keyof typeof defaultLimits, number>>;

/** The longest that a timer can wait; beyond it, it would fire at once. */
const longestMs = 2_147_483_647;

/** @throws {UsageError} for a limit that is no whole number in its range, NaN included */
export function readLimits(given: { [Name in keyof Limits]?: number | undefined }, otherwise: Limits): Limits {
  const limits: Record<string, number> & Limits = { ...otherwise };
  for (const name in otherwise) {
    const { [name as keyof Limits]: value = otherwise[name as keyof Limits] } = given;
    const least = name === "maxResponseBytes" ? 1 : 0;
    // The bitwise and gives back only what is a whole number in the range.
    if (value !== (value & longestMs) || value < least)
      throw refusal("invalid_option", `${name} must be a whole number from ${least} to ${longestMs}`);
    limits[name] = value;
  }
  return limits;
}
