import { TimeoutError } from "../errors/exchange-errors.ts";
import { isOffersError, type OffersFailure } from "../errors/offers-failure.ts";
import type { WithResponse } from "../offers-call.ts";
import type { Operation } from "../operation.ts";
import type { CallOptions, OffersClientOptions } from "../options.ts";
import { attempt } from "./attempt.ts";
import { authenticate } from "./authenticate.ts";
import { type Clock, systemClock } from "./clock.ts";
import { judge } from "./judge.ts";
import { prepare } from "./prepare.ts";
import { type Redact, redactKey } from "./redact.ts";
import { retryDelayMs } from "./retry-delay.ts";
import { readOptions } from "./settings.ts";
import { within } from "./within.ts";

/** Performs an operation. Rejects with an OffersFailure only. */
export type Transport = <Argument, Data>(
  operation: Operation<Argument, Data>,
  id: unknown,
  argument: Argument,
  call?: CallOptions,
) => Promise<WithResponse<Data>>;

/** @throws {UsageError} for an option that cannot be right */
export function createTransport(options: OffersClientOptions, clock: Clock = systemClock): Transport {
  const settings = readOptions(options);
  const { apiKey, logger, onRetry } = settings;

  return async (operation, id, argument, call = {}) => {
    const startedAt = clock.now();
    const progress = { operation: operation.name, attempts: 0 };
    try {
      const { url, headers, body, limits } = prepare(operation, id, argument, call, settings);
      const deadline = startedAt + limits.totalTimeoutMs;
      const inTime = <T>(limitMs: number, work: (signal: AbortSignal) => Promise<T>) =>
        within(
          Math.min(limitMs, deadline - clock.now()),
          call.signal,
          () => Promise.reject(new TimeoutError("No whole answer in time; see timeoutMs and totalTimeoutMs")),
          work,
        );
      let redact: Redact = String;
      const readKey = (refresh: boolean) =>
        typeof apiKey === "string"
          ? apiKey
          : inTime(limits.totalTimeoutMs, () => authenticate(apiKey, refresh, redact));

      let key = await readKey(false);
      let isRefreshed = false;
      let retries = 0;

      /** How long to wait for the next attempt; undefined when there is none. A new key costs no retry (D-47). */
      const nextDelayMs = async (failure: OffersFailure): Promise<number | undefined> => {
        if (failure.code === "unauthenticated" && !isRefreshed) {
          isRefreshed = true;
          const refused = key;
          key = await readKey(true);
          if (key !== refused) return 0;
        }
        // D-40
        const isRepeatable = operation.repeatable || settings.serviceHonoursIdempotencyKey === true;
        const delayMs = retryDelayMs(failure, isRepeatable, retries, limits.maxRetryAfterMs, clock);
        if (retries++ < limits.maxRetries && delayMs !== undefined && clock.now() + delayMs < deadline) return delayMs;
        return undefined;
      };

      for (;;) {
        const attemptNumber = progress.attempts + 1;
        const attemptedAt = clock.now();
        const about = { operation: operation.name, attempt: attemptNumber };
        const log = (level: "debug" | "warn", outcome: Record<string, unknown>) =>
          quietly(() => logger?.[level]({ ...about, durationMs: clock.now() - attemptedAt, ...outcome }, "offers"));
        redact = redactKey(key);
        const { method } = operation;
        const request = { ...about, method, url, headers: { ...headers, [settings.apiKeyHeader]: key }, body };
        try {
          const answer = await inTime(limits.timeoutMs, (signal) => {
            progress.attempts = attemptNumber;
            return attempt({ ...request, signal }, settings, redact);
          });
          const data = judge(operation, answer, url, redact);
          log("debug", { status: answer.response.status });
          return { data, response: answer.response };
        } catch (failure) {
          if (!isOffersError(failure)) throw failure;
          Object.assign(failure, progress);
          let delayMs: number | undefined;
          try {
            delayMs = await nextDelayMs(failure);
          } finally {
            // Also when no other key can be had: the attempt was made, and failed.
            log("warn", { status: failure.status, code: failure.code, retryDelayMs: delayMs });
          }
          if (delayMs === undefined) throw failure;
          quietly(() => onRetry?.({ error: failure, attempt: attemptNumber, delayMs }));
          await clock.sleep(delayMs, call.signal);
        }
      }
    } catch (thrown) {
      // Whoever threw it knew what went wrong, not how far the call had come.
      throw Object.assign(thrown as Error, progress);
    }
  };
}

/** What an observer throws must not make a created offer look as if it were not. */
function quietly(observe: () => unknown): void {
  try {
    // It may be async: its rejection must not become an unhandled one, which ends the process.
    Promise.resolve(observe()).catch(() => {});
  } catch {}
}
