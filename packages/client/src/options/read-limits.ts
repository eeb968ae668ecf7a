import { createUsageError } from "../errors/create-usage-error.ts";
import {
  maxResponseBytes,
  maxRetries,
  maxRetryAfterMs,
  timeoutMs,
  totalTimeoutMs,
  watchIntervalMs,
} from "../generated/decisions.ts";

export const limitDefaults = {
  timeoutMs,
  totalTimeoutMs,
  maxRetries,
  maxRetryAfterMs,
  maxResponseBytes,
  pollIntervalMs: watchIntervalMs,
};

export type Limits = Readonly<Record<keyof typeof limitDefaults, number>>;

/** The longest delay of a timer: `setTimeout` fires at once for a longer one. */
const longestMs = 2_147_483_647;

/** @throws {UsageError} for a limit that is not a whole number in its range, such as NaN */
export function readLimits(given: { [Name in keyof Limits]?: number | undefined }, defaults: Limits): Limits {
  const limits: Record<string, number> & Limits = { ...defaults };
  for (const name in defaults) {
    const { [name as keyof Limits]: value = defaults[name as keyof Limits] } = given;
    const least = name === "maxResponseBytes" ? 1 : 0;
    // The bitwise and returns its operand only for a whole number in the range.
    if (value !== (value & longestMs) || value < least)
      throw createUsageError("invalid_option", `${name} must be a whole number from ${least} to ${longestMs}`);
    limits[name] = value;
  }
  return limits;
}
