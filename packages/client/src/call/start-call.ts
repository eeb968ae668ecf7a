import type { AnyOffersError } from "../errors/error-classes.ts";
import { redacted, toOffersError } from "../errors/failure.ts";
import type { FetchResponse } from "../http.ts";
import type { CallOptions } from "../options/options.ts";
import type { ClientSettings } from "../options/settings.ts";
import { loadApiKey } from "./api-key.ts";
import type { Operation } from "./operations.ts";
import { prepareRequest } from "./prepare-request.ts";
import { readResponse } from "./read-response.ts";
import { delayBeforeRetry } from "./retry.ts";
import { type Call, sendAttempt } from "./send-attempt.ts";
import { sleep } from "./with-timeout.ts";

/** The data of a response, and the response itself. Its body has been read. */
export interface WithResponse<Data> {
  data: Data;
  response: FetchResponse;
  /** How many requests were sent. */
  attempts: number;
}

/**
 * The result value of `safe()`, instead of an exception: it narrows on `ok`, and its error on `code` or `status`.
 *
 * @example
 * ```ts
 * import type { Offer, SafeResult } from "@offers/client";
 *
 * export const titleOf = (result: SafeResult<Offer>): string => (result.ok ? result.data.title : result.error.code);
 * ```
 */
export type SafeResult<Data> = ({ ok: true } & WithResponse<Data>) | { ok: false; error: AnyOffersError };

/**
 * The promise of a call's data. The request starts at once and is made once, however many of these methods you use. A failure
 * that no code handles is an unhandled rejection, which ends a Node process: await the call, or use `safe()`.
 *
 * @example
 * ```ts
 * import type { Offer, OffersPromise } from "@offers/client";
 *
 * export async function report(call: OffersPromise<Offer>): Promise<void> {
 *   const result = await call.safe();
 *   if (result.ok) console.log(result.response.status, result.data.title);
 *   else if (result.error.status === 404) console.log("no such offer", result.error.problem?.detail);
 * }
 * ```
 */
export interface OffersPromise<Data> extends Promise<Data> {
  /** Resolves with the data and the response. Rejects as the call does. */
  withResponse(): Promise<WithResponse<Data>>;
  /** Resolves with the data or the error. Never rejects. */
  safe(): Promise<SafeResult<Data>>;
}

/** Performs an operation. The promise rejects with an `AnyOffersError` only. */
export function startCall<Argument, Data>(
  settings: ClientSettings,
  operation: Operation<Argument, Data>,
  id: unknown,
  argument: Argument,
  options?: CallOptions,
): OffersPromise<Data> {
  const { apiKey } = settings;
  const key = typeof apiKey === "string" ? apiKey : redacted;
  const call: Call & { response?: FetchResponse } = {
    operation: operation.name,
    host: settings.host,
    attempts: 0,
    key,
  };
  return toOffersPromise(perform(call, settings, operation, id, argument, options), (data) => ({
    data,
    response: call.response as FetchResponse,
    attempts: call.attempts,
  }));
}

/** @param data rejects with an AnyOffersError only */
export function toOffersPromise<Data>(
  data: Promise<Data>,
  toResult: (data: Data) => WithResponse<Data>,
): OffersPromise<Data> {
  // Both methods chain on the same promise, so that a failure is handled exactly where one of them is used.
  // One Object.assign: assigning each method by itself made a call a third slower in V8.
  return Object.assign(data, {
    withResponse: () => data.then(toResult),
    safe: () =>
      data.then(
        (value) => ({ ok: true as const, ...toResult(value) }),
        (error: AnyOffersError) => ({ ok: false as const, error }),
      ),
  });
}

/** A whole call: prepare the request, send it, read the response, and retry while that may help. */
async function perform<Argument, Data>(
  call: Call & { response?: FetchResponse },
  settings: ClientSettings,
  operation: Operation<Argument, Data>,
  id: unknown,
  argument: Argument,
  callOptions: CallOptions | undefined,
): Promise<Data> {
  const { apiKey, logger } = settings;
  const log = (level: "debug" | "warn", fields: object) =>
    logger && observe(() => logger[level]({ operation: call.operation, ...fields }, "offers"));
  try {
    const request = prepareRequest(settings, operation, id, argument, callOptions);
    const { totalTimeoutMs, maxRetries, signal } = request.options;
    let startedAt = performance.now();
    const deadline = startedAt + totalTimeoutMs;
    if (typeof apiKey === "function") {
      await loadApiKey(apiKey, call, request, totalTimeoutMs);
      startedAt = performance.now();
    }
    for (let retries = 0, mayRefresh = true; ; startedAt = performance.now()) {
      const attempt = call.attempts + 1;
      let error: AnyOffersError;
      try {
        const { response, text } = await sendAttempt(call, request, deadline - startedAt, settings);
        const data = readResponse(
          operation,
          response,
          text,
          request,
          settings.maxResponseBytes,
          call.key,
          id,
          (path) => {
            if (!settings.hasReportedShape) log("warn", { code: "unexpected_response_shape", path });
            settings.hasReportedShape = true;
          },
        );
        call.response = response;
        if (logger) log("debug", { attempt, durationMs: performance.now() - startedAt, status: response.status });
        return data;
      } catch (thrown) {
        error = toOffersError(thrown, call);
        call.own = error;
      }
      let retryDelayMs: number | undefined;
      try {
        if (error.code === "unauthenticated" && mayRefresh) {
          mayRefresh = false;
          // Another attempt, but no retry (D-47).
          if (await loadApiKey(apiKey, call, request, deadline - performance.now(), true)) retryDelayMs = 0;
        } else if (retries < maxRetries) retryDelayMs = delayBeforeRetry(error, request.method, settings, retries++);
        if (performance.now() + (retryDelayMs ?? 0) >= deadline) retryDelayMs = undefined;
      } finally {
        // Also when the key cannot be refreshed: the attempt was made and failed.
        const { status, code } = error;
        log("warn", { attempt, durationMs: performance.now() - startedAt, status, code, retryDelayMs });
      }
      if (retryDelayMs === undefined) throw error;
      const notice = { error, attempt: call.attempts, delayMs: retryDelayMs };
      observe(() => settings.onRetry(notice));
      await sleep(retryDelayMs, signal);
    }
  } catch (thrown) {
    throw toOffersError(thrown, call);
  }
}

/** Calls a logger or observer of the user. Its errors are ignored: they must not make a created offer look as if it were not. */
function observe(call: () => unknown): void {
  (async () => call())().catch(() => {});
}
