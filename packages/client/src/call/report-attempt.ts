import type { OperationName } from "../contract/operation-name.ts";
import type { OffersClientOptions } from "../options/options.ts";
import type { Clock } from "../request/clock.ts";
import { ignoreErrors } from "./ignore-errors.ts";

/** Writes one log line per attempt: `debug` for a success, `warn` for a failure. */
export function reportAttempt(
  { logger }: OffersClientOptions,
  operation: OperationName,
  attempt: number,
  startedAt: number,
  clock: Clock,
  outcome: { readonly status?: number | undefined; readonly code?: string },
  retryDelayMs?: number,
): void {
  if (!logger) return;
  const { status, code } = outcome;
  const fields = { operation, attempt, durationMs: clock.now() - startedAt, status, code, retryDelayMs };
  void ignoreErrors(() => logger[code === undefined ? "debug" : "warn"](fields, "offers"));
}

/** Calls `onRetry` before the delay. */
export const reportRetry = (
  { onRetry }: OffersClientOptions,
  notice: Parameters<NonNullable<OffersClientOptions["onRetry"]>>[0],
): void => void ignoreErrors(() => onRetry?.(notice));
