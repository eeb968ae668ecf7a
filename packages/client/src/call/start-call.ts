import type { AnyOffersError } from "../errors/error-classes.ts";
import { notReadable, redacted, toOffersError } from "../errors/failure.ts";
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
  const { apiKey, host } = settings;
  const key = typeof apiKey === "string" ? apiKey : redacted;
  const call: Call & { response?: FetchResponse } = { operation: operation.name, host, attempts: 0, key };
  return toOffersPromise(perform(call, settings, operation, id, argument, options), (data) => ({
    data,
    response: call.response as FetchResponse,
    attempts: call.attempts,
  }));
}

/** @param data rejects with an AnyOffersError only */
export const toOffersPromise = <Data>(
  data: Promise<Data>,
  toResult: (data: Data) => WithResponse<Data>,
): OffersPromise<Data> =>
  // Both methods chain on the same promise, so that a failure is handled exactly where one of them is used.
  // One Object.assign: assigning each method by itself made a call a third slower in V8.
  Object.assign(data, {
    withResponse: () => data.then(toResult),
    safe: () =>
      data.then(
        (value) => ({ ok: true as const, ...toResult(value) }),
        (error: AnyOffersError) => ({ ok: false as const, error }),
      ),
  });

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
    observe(() => logger?.[level]({ operation: call.operation, ...fields }, "offers"));
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
      let error: AnyOffersError | undefined;
      let retryDelayMs: number | undefined;
      try {
        const { response, text } = await sendAttempt(call, request, deadline - startedAt, settings);
        call.response = response;
        return readResponse(
          operation,
          response,
          text,
          request.body,
          settings.maxResponseBytes,
          call.key,
          id,
          (path) => {
            if (!settings.hasReportedShape) log("warn", { code: "unexpected_response_shape", path });
            settings.hasReportedShape = true;
          },
        );
      } catch (thrown) {
        error = toOffersError(thrown, call);
        if (error.code === "unauthenticated" && mayRefresh) {
          mayRefresh = false;
          // Another attempt, but no retry (D-47).
          if (await loadApiKey(apiKey, call, request, deadline - performance.now(), true)) retryDelayMs = 0;
        } else if (retries < maxRetries) retryDelayMs = delayBeforeRetry(error, request.method, settings, retries++);
        // Without a retry, as with one after the deadline, the error ends the call.
        if (performance.now() + (retryDelayMs ?? deadline) >= deadline) {
          retryDelayMs = undefined;
          throw error;
        }
      } finally {
        // Also when the key cannot be refreshed: the attempt was made and failed.
        if (logger) {
          const { status } = error ?? (call.response as FetchResponse);
          const durationMs = performance.now() - startedAt;
          log(error ? "warn" : "debug", { attempt, durationMs, status, code: error?.code, retryDelayMs });
        }
      }
      const notice = { error, attempt, delayMs: retryDelayMs as number };
      observe(() => settings.onRetry(notice));
      await sleep(call, notice.delayMs, signal);
    }
  } catch (thrown) {
    throw toOffersError(thrown, call, notReadable);
  }
}

/** Calls a logger or observer of the user. Its errors are ignored: they must not make a created offer look as if it were not. */
const observe = (notify: () => unknown): void => void (async () => notify())().catch(() => {});
