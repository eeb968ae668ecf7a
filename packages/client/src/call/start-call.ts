import type { Classification } from "../errors/connection-errors.ts";
import { type AnyOffersError, AuthenticationError, UsageError } from "../errors/error-classes.ts";
import { check, type FailedCall, notReadable, redacted, refuse, toOffersError } from "../errors/failure.ts";
import type { FetchResponse, OffersRequest } from "../http.ts";
import type { CallOptions } from "../options/options.ts";
import { type ClientSettings, checkHeaderName, checkHeaderValue, readOptions } from "../options/settings.ts";
import type { Operation } from "./operations.ts";
import { readBody } from "./read-body.ts";
import { readResponse } from "./read-response.ts";
import { delayBeforeRetry } from "./retry.ts";
import { sleep, withTimeout } from "./with-timeout.ts";

/**
 * The data of a response, and the response itself. Its body has been read.
 *
 * @example
 * ```ts
 * import type { Offer, WithResponse } from "@offers/client";
 *
 * export const summary = ({ data, response, attempts }: WithResponse<Offer>): string =>
 *   `${data.title}: ${response.status}, attempt ${attempts}`;
 * ```
 */
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
  callOptions?: CallOptions,
): OffersPromise<Data> {
  const { apiKey, apiKeyHeader, fetch, host, logger, maxResponseBytes, middleware } = settings;
  const { name, method, path, encode } = operation;
  const key = typeof apiKey === "string" ? apiKey : redacted;
  const call: FailedCall & { attempts: number; key: string } = { operation: name, host, attempts: 0, key };
  let response: FetchResponse;

  const log = (level: "debug" | "warn", fields: object) =>
    observe(() => logger?.[level]({ operation: name, ...fields }, "offers"));

  /** Prepares the request, sends it, reads the response, and retries while that may help. */
  async function perform(): Promise<Data> {
    try {
      const options = callOptions === undefined ? settings.call : readOptions(callOptions, settings.call);
      const { timeoutMs, totalTimeoutMs, maxRetries, signal } = options;
      if (signal) check("signal", signal, "AbortSignal", "invalid_argument");
      // A function, for `replace` would interpret a dollar sign.
      const url = settings.baseUrl + path.replace("{id}", () => encodeId(id)) + settings.query;
      // Without the API key. Names are in lower case.
      const headers: Record<string, string> = { accept: "application/json", "user-agent": settings.userAgent };
      for (const header in options.headers)
        headers[checkHeaderName("headers", header)] = checkHeaderValue(header, options.headers[header]);
      let body: string | null = null;
      if (method === "POST") {
        // One per call, the same on every attempt (D-40).
        const { idempotencyKey = crypto.randomUUID() } = options;
        headers["content-type"] = "application/json";
        headers["idempotency-key"] = idempotencyKey;
        body = JSON.stringify(encode?.(argument));
      }
      let startedAt = performance.now();
      const deadline = startedAt + totalTimeoutMs;

      /** Asks the `apiKey` function, if there is one, for a key (D-47). True if it is another one than before. */
      const loadKey =
        typeof apiKey === "function" &&
        (async (refresh: boolean, remainingMs: number): Promise<boolean> => {
          const before = call.key;
          call.key = await withTimeout(
            call,
            remainingMs,
            signal,
            async () => checkHeaderValue("apiKey", await apiKey({ refresh }), "invalid_api_key"),
            () => providerFailed,
          );
          return call.key !== before;
        });

      const send: Send = (request) => fetch(request.url, { ...request, redirect: "manual", cache: "no-store" });
      /** Middleware sees the error that the call would reject with. */
      const sendForMiddleware: Send = async (request) => {
        try {
          return await send(request);
        } catch (thrown) {
          throw toOffersError(thrown, call);
        }
      };
      const sendThrough = middleware.length
        ? middleware.reduceRight<Send>((next, layer) => (request) => layer(request, next), sendForMiddleware)
        : send;

      /**
       * One attempt, from its start to the end of the response body. Its request timeout is `timeoutMs`, or what is left of
       * `totalTimeoutMs` if that is less (D-25). `attempts` does not grow if the signal is already aborted.
       */
      const sendAttempt = (): Promise<ReceivedResponse> => {
        call.own = undefined;
        let isInMiddleware = middleware.length > 0;
        const work = async (signal: AbortSignal): Promise<ReceivedResponse> => {
          const received = await sendThrough({
            operation: name,
            attempt: ++call.attempts,
            method,
            url,
            headers: { ...headers, [apiKeyHeader]: call.key },
            body,
            maxResponseBytes,
            signal,
          });
          if (typeof received.text !== "function") throw new TypeError("not a Response");
          isInMiddleware = false;
          return [received, await readBody(received, maxResponseBytes)];
        };
        const limitMs = Math.min(timeoutMs, deadline - startedAt);
        return withTimeout(call, limitMs, signal, work, () => (isInMiddleware ? middlewareFailed : undefined));
      };

      if (loadKey) {
        await loadKey(false, totalTimeoutMs);
        startedAt = performance.now();
      }
      for (let retries = 0, mayRefresh = true; ; startedAt = performance.now()) {
        const attempt = call.attempts + 1;
        let error: AnyOffersError | undefined;
        let retryDelayMs: number | undefined;
        try {
          const [received, text] = await sendAttempt();
          response = received;
          return readResponse(operation, response, text, body, maxResponseBytes, call.key, id, (path) => {
            if (!settings.hasReportedShape) log("warn", { code: "unexpected_response_shape", path });
            settings.hasReportedShape = true;
          });
        } catch (thrown) {
          error = toOffersError(thrown, call);
          if (loadKey && mayRefresh && error.code === "unauthenticated") {
            mayRefresh = false;
            // Another attempt, but no retry (D-47).
            if (await loadKey(true, deadline - performance.now())) retryDelayMs = 0;
          } else if (retries < maxRetries) retryDelayMs = delayBeforeRetry(error, method, settings, retries++);
          // Without a retry, as with one after the deadline, the error ends the call.
          if (performance.now() + (retryDelayMs ?? deadline) >= deadline) {
            retryDelayMs = undefined;
            throw error;
          }
        } finally {
          // Also when the key cannot be refreshed: the attempt was made and failed.
          if (logger) {
            log(error ? "warn" : "debug", {
              attempt,
              durationMs: performance.now() - startedAt,
              status: (error ?? response).status,
              code: error?.code,
              retryDelayMs,
            });
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

  return toOffersPromise(perform(), (data) => ({ data, response, attempts: call.attempts }));
}

/** The id as one segment of a path, whatever it holds. encodeURIComponent refuses a lone surrogate, which is no text. */
const encodeId = (id: unknown): string =>
  typeof id === "string" && !/^\.{0,2}$|[\uD800-\uDFFF]/u.test(id)
    ? encodeURIComponent(id)
    : refuse("id must be an offer's id", "invalid_id");

/** The text of the body is undefined when it exceeds `maxResponseBytes`. */
type ReceivedResponse = readonly [response: FetchResponse, text: string | undefined];

type Send = (request: OffersRequest) => Promise<FetchResponse>;

const providerFailed: Classification = [AuthenticationError, "api_key_provider_failed", "the apiKey function failed"];

const middlewareFailed: Classification = [UsageError, "middleware_failed", "the middleware failed"];

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

/** Calls a logger or observer of the user. Its errors are ignored: they must not make a created offer look as if it were not. */
const observe = (notify: () => unknown): void => void (async () => notify())().catch(() => {});
