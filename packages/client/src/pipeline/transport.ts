import { type AnyOffersError, isOffersError } from "../errors/any-offers-error.ts";
import { AuthenticationError } from "../errors/response-errors.ts";
import { unclaimed } from "../errors/unclaimed.ts";
import { UsageError } from "../errors/usage-error.ts";
import { apiKeyHeader, apiVersion } from "../generated/decisions.ts";
import type { WithResponse } from "../offers-promise.ts";
import type { Operation } from "../operation.ts";
import type { CallOptions, OffersClientOptions } from "../options.ts";
import { attempt } from "./attempt.ts";
import { showCallPlace } from "./call-place.ts";
import { checkCallOptions, checkClientOptions } from "./check-options.ts";
import { type Clock, systemClock } from "./clock.ts";
import { headerName, headerText } from "./header-text.ts";
import { judge } from "./judge.ts";
import { defaultLimits, readLimits } from "./limits.ts";
import { quietly } from "./quietly.ts";
import { redacted } from "./redact.ts";
import { retryDelayMs } from "./retry-delay.ts";
import { toFailure } from "./to-failure.ts";
import { fillPath, readBaseUrl } from "./url.ts";
import { within } from "./within.ts";

/**
 * Performs an operation. Rejects with an AnyOffersError only.
 *
 * @param place where the call was made, for the stack of its error
 */
export type Transport = <Argument, Data>(
  operation: Operation<Argument, Data>,
  id: unknown,
  argument: Argument,
  call?: CallOptions,
  place?: Error,
) => Promise<WithResponse<Data>>;

/** @throws {UsageError} for an option that cannot be right; nothing is corrected silently */
export function createTransport(options: OffersClientOptions, clock: Clock = systemClock): Transport {
  checkClientOptions(options);
  const { apiKey, logger, onRetry = () => {} } = options;
  const baseUrl = readBaseUrl(options.baseUrl);
  const { host } = new URL(baseUrl);
  const text = (name: "apiVersion" | "apiKeyHeader" | "userAgent", otherwise: string) =>
    headerText(name, options[name] === undefined ? otherwise : options[name]);
  const query = `?api-version=${encodeURIComponent(text("apiVersion", apiVersion))}`;
  const keyHeader = headerName("apiKeyHeader", text("apiKeyHeader", apiKeyHeader));
  const json = "application/json";
  const common = { accept: json, "user-agent": text("userAgent", "offers-client") };
  const clientLimits = readLimits(options, defaultLimits);
  const checkKey = (key: unknown) => headerText("apiKey", key, "invalid_api_key");
  if (typeof apiKey !== "function") checkKey(apiKey);

  return async <Argument, Data>(
    operation: Operation<Argument, Data>,
    id: unknown,
    argument: Argument,
    call?: CallOptions,
    place?: Error,
  ): Promise<WithResponse<Data>> => {
    const { name, method } = operation;
    const caller = call?.signal;
    let key = redacted;
    let attempts = 0;
    let own: AnyOffersError | undefined;
    /** Whoever threw it knew what went wrong, not in which call, how far that had come, or who made it. */
    const tell = (thrown: unknown): AnyOffersError => {
      if (own && thrown === own) return own;
      const isBare = isOffersError(thrown) && thrown.operation === undefined;
      own = isBare ? thrown : toFailure(thrown, key, UsageError, "invalid_argument");
      Reflect.deleteProperty(own, unclaimed);
      const at = own instanceof UsageError ? "" : ` at ${host}`;
      Object.assign(own, { operation: name, attempts, message: `${name}${at}: ${own.message}` });
      if (place) showCallPlace(own, place);
      return own;
    };
    try {
      if (call !== undefined) checkCallOptions(call);
      const url = baseUrl + fillPath(operation.path, id) + query;
      const limits = call ? readLimits(call, clientLimits) : clientLimits;
      const headers: Record<string, string> = { ...common };
      for (const field in call?.headers) headers[headerName("headers", field)] = headerText(field, call.headers[field]);
      let body: string | null = null;
      if (method === "POST") {
        const idempotencyKey = call?.idempotencyKey;
        headers["content-type"] = json;
        // D-40: one per call, the same on every attempt.
        headers["idempotency-key"] =
          idempotencyKey === undefined ? crypto.randomUUID() : headerText("idempotencyKey", idempotencyKey);
        body = JSON.stringify(operation.encode ? operation.encode(argument) : argument);
      }

      let startedAt = clock.now();
      const { timeoutMs, totalTimeoutMs, maxResponseBytes } = limits;
      const deadline = startedAt + totalTimeoutMs;
      const inTotal = () => `within totalTimeoutMs (${totalTimeoutMs} ms)`;
      const readKey = (refresh: boolean) =>
        typeof apiKey === "string"
          ? apiKey
          : within(
              deadline - clock.now(),
              caller,
              async () => {
                let given: unknown;
                try {
                  given = await apiKey({ refresh });
                } catch (thrown) {
                  throw toFailure(thrown, key, AuthenticationError, "api_key_provider_failed");
                }
                return checkKey(given);
              },
              () => `the apiKey function gave no key ${inTotal()}; see what it waits for`,
            );
      if (typeof apiKey === "string") key = apiKey;
      else {
        key = await readKey(false);
        startedAt = clock.now();
      }

      let refused: string | undefined;
      for (let retries = 0; ; startedAt = clock.now()) {
        const about = { operation: name, attempt: attempts + 1 };
        let outcome: { status?: number | undefined; code?: string } = {};
        let error: AnyOffersError | undefined;
        let delayMs: number | undefined;
        try {
          const left = deadline - startedAt;
          const sent = { ...about, method, url, body, maxResponseBytes };
          const answer = await within(
            Math.min(timeoutMs, left),
            caller,
            (signal) => {
              attempts++;
              return attempt({ ...sent, headers: { ...headers, [keyHeader]: key }, signal }, options, key);
            },
            () =>
              `no whole response ${timeoutMs > left ? inTotal() : `within timeoutMs (${timeoutMs} ms)`}; allow more time`,
          );
          outcome = answer.response;
          return { data: judge(operation, answer, sent, key, id), response: answer.response, attempts };
        } catch (thrown) {
          error = tell(thrown);
          outcome = error;
          // A new key costs no retry (D-47).
          if (error.code === "unauthenticated" && !refused) {
            refused = key;
            key = await readKey(true);
            if (key !== refused) delayMs = 0;
          }
          if (retries < limits.maxRetries)
            delayMs ??= retryDelayMs(
              error,
              method === "GET" || options.serviceHonoursIdempotencyKey === true, // D-40
              retries++,
              limits.maxRetryAfterMs,
              clock,
            );
          if (delayMs === undefined || clock.now() + delayMs >= deadline) {
            delayMs = undefined;
            throw error;
          }
        } finally {
          // Also when no other key can be had: the attempt was made, and failed.
          if (logger) {
            const level = error ? "warn" : "debug";
            const { status, code } = outcome;
            const line = { ...about, durationMs: clock.now() - startedAt, status, code, retryDelayMs: delayMs };
            void quietly(() => logger[level](line, "offers"));
          }
        }
        const notice = { error, attempt: attempts, delayMs };
        void quietly(() => onRetry(notice));
        await clock.sleep(delayMs, caller);
      }
    } catch (thrown) {
      throw tell(thrown);
    }
  };
}
