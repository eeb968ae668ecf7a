import { readRateLimit } from "@offers/contract/rate-limit";
import type { Classification } from "../errors/connection-errors.ts";
import { type AnyOffersError, AuthenticationError, type OperationError, UsageError } from "../errors/error-classes.ts";
import { type CallContext, redacted, toOffersError, unreadableArgument } from "../errors/failure.ts";
import { assertType, throwUsageError, typeName } from "../errors/usage.ts";
import type { FetchResponse, OffersRequest, OperationName } from "../http.ts";
import type { ApiKey, CallOptions } from "../options/options.ts";
import {
  type CallSettings,
  type ClientSettings,
  checkHeaderName,
  checkHeaderValue,
  readOptions,
} from "../options/settings.ts";
import { readDeprecation } from "./deprecation.ts";
import { type OffersPromise, toOffersPromise } from "./offers-promise.ts";
import type { Operation } from "./operations.ts";
import { readBody } from "./read-body.ts";
import { type ReceivedResponse, readResponse } from "./read-response.ts";
import { delayBeforeRetry } from "./retry.ts";
import { sleep, withTimeout } from "./with-timeout.ts";

/** Performs an operation. The promise rejects only with an `AnyOffersError`. */
export function startCall<Name extends OperationName, Argument, Data>(
  settings: ClientSettings,
  operation: Operation<Argument, Data, Name>,
  id: unknown,
  argument: Argument,
  options?: CallOptions,
): OffersPromise<Data, OperationError<Name>> {
  const call = new Call(settings, operation, id);
  return toOffersPromise(call.perform(argument, options), (data) => {
    const { response, attempts } = call;
    return { data, response, attempts, rateLimit: readRateLimit((name) => response.headers.get(name)) };
  });
}

/** The request fields that are the same for every attempt. */
type PreparedRequest = Pick<OffersRequest, "operation" | "method" | "url" | "headers" | "body" | "maxResponseBytes">;

type KeyProvider = Exclude<ApiKey, string>;

type Send = (request: OffersRequest) => Promise<FetchResponse>;

/** One call to an operation, with its retries. */
class Call<Argument, Data> implements CallContext {
  readonly #settings: ClientSettings;
  readonly #operation: Operation<Argument, Data>;
  readonly #id: unknown;
  #options: CallSettings;
  /** When the call must end, as a `performance.now()` value. */
  #deadline = 0;
  #retries = 0;
  #hasRefreshedKey = false;

  readonly operation: OperationName;
  readonly host: string;
  attempts = 0;
  key: string;
  declare attemptError?: AnyOffersError | undefined;
  /** The last response, once there is one. */
  declare response: FetchResponse;

  constructor(settings: ClientSettings, operation: Operation<Argument, Data>, id: unknown) {
    this.#settings = settings;
    this.#operation = operation;
    this.#id = id;
    this.#options = settings.call;
    this.operation = operation.name;
    this.host = settings.host;
    this.key = typeof settings.apiKey === "string" ? settings.apiKey : redacted;
  }

  /** Builds the request, sends it and reads the response. Makes further attempts as long as `#decideRetry` allows them. */
  async perform(argument: Argument, options: CallOptions | undefined): Promise<Data> {
    try {
      const request = this.#prepareRequest(argument, options);
      this.#deadline = performance.now() + this.#options.totalTimeoutMs;
      const { apiKey } = this.#settings;
      // Awaited only for a function, so that with a string the request is sent before `perform` returns.
      if (typeof apiKey === "function") await this.#loadKey(apiKey, { refresh: false }, this.#options.totalTimeoutMs);
      for (;;) {
        const startedAt = performance.now();
        try {
          const received = await this.#sendAttempt(request, startedAt);
          const data = this.#readResponse(request, received);
          this.#logAttempt(startedAt, received.response.status);
          return data;
        } catch (thrown) {
          const error = toOffersError(thrown, this);
          const delayMs = await this.#decideRetry(error, startedAt);
          if (delayMs === undefined) throw error;
          notifySafely(() => this.#settings.onRetry({ error, attempt: this.attempts, delayMs }));
          await sleep(this, delayMs, this.#options.signal);
        }
      }
    } catch (thrown) {
      throw toOffersError(thrown, this, unreadableArgument);
    }
  }

  /** Checks options and arguments, and builds the request without the API key. */
  #prepareRequest(argument: Argument, callOptions: CallOptions | undefined): PreparedRequest {
    const settings = this.#settings;
    const operation = this.#operation;
    if (callOptions !== undefined) this.#options = readOptions(callOptions, settings.call);
    const options = this.#options;
    if (options.signal) assertType("signal", options.signal, "AbortSignal", "invalid_argument");
    // A replacer function, because a string replacement would interpret dollar signs.
    const url = settings.baseUrl + operation.path.replace("{id}", () => encodeId(this.#id)) + settings.query;
    // Names are in lower case, so that the user's headers replace these defaults.
    const headers: Record<string, string> = { accept: "application/json", "user-agent": settings.userAgent };
    for (const [name, value] of Object.entries(options.headers))
      headers[checkHeaderName("headers", name)] = checkHeaderValue(name, value);
    let body: string | null = null;
    if (operation.method === "POST") {
      headers["content-type"] = "application/json";
      // Every attempt of a call sends the same key (D-40).
      headers["idempotency-key"] = options.idempotencyKey ?? crypto.randomUUID();
      body = JSON.stringify(operation.encode?.(argument));
    }
    return {
      operation: operation.name,
      method: operation.method,
      url,
      headers,
      body,
      maxResponseBytes: settings.maxResponseBytes,
    };
  }

  /** Sets the key to the result of the `apiKey` function (D-47). Returns whether the key has changed. */
  async #loadKey(provider: KeyProvider, request: { refresh: boolean }, limitMs: number): Promise<boolean> {
    const previousKey = this.key;
    const callProvider = async () => checkHeaderValue("apiKey", await provider(request), "invalid_api_key");
    this.key = await withTimeout(this, limitMs, this.#options.signal, callProvider, () => keyProviderFailed);
    return this.key !== previousKey;
  }

  /**
   * Makes one attempt: sends the request and receives the whole response within `timeoutMs`, or by the deadline of the call if that is
   * sooner (D-25). Does not count an attempt if the signal is already aborted.
   */
  #sendAttempt(request: PreparedRequest, startedAt: number): Promise<ReceivedResponse> {
    const { apiKeyHeader, middleware, transport } = this.#settings;
    this.attemptError = undefined;
    // Until the middleware returns a response, an error that this package did not create counts as the middleware's.
    let isInMiddleware = middleware.length > 0;
    // Middleware sees the error that the call would reject with.
    const callFetch: Send = async (finalRequest) => {
      try {
        const options = { ...finalRequest, redirect: "manual", ...noStore() } as const;
        return await transport.send(finalRequest.url, options);
      } catch (thrown) {
        throw toOffersError(thrown, this);
      }
    };
    // Starts with the last middleware, so that the first is the outermost.
    const send = middleware.reduceRight<Send>((next, wrap) => (nextRequest) => wrap(nextRequest, next), callFetch);
    const exchange = async (signal: AbortSignal): Promise<ReceivedResponse> => {
      const attempt = ++this.attempts;
      const headers = { ...request.headers, [apiKeyHeader]: this.key };
      const response = await send({ ...request, attempt, headers, signal });
      if (typeof response.text !== "function") throw new TypeError("not a Response");
      isInMiddleware = false;
      return { response, text: await readBody(response, request.maxResponseBytes) };
    };
    const limitMs = Math.min(this.#options.timeoutMs, this.#deadline - startedAt);
    return withTimeout(this, limitMs, this.#options.signal, exchange, () =>
      isInMiddleware ? middlewareFailed : undefined,
    );
  }

  /**
   * Returns the data of a valid, successful response. Throws the error for any other response. Reports a deprecated operation, and fields
   * that had to be converted.
   */
  #readResponse(request: PreparedRequest, received: ReceivedResponse): Data {
    const settings = this.#settings;
    this.response = received.response;
    const notice = readDeprecation(this.operation, received.response);
    if (notice) this.#reportOnce(this.operation, () => settings.onDeprecation(notice));
    return readResponse(this.#operation, received, { ...request, id: this.#id, key: this.key }, (path) => {
      const fields = { operation: this.operation, code: "unexpected_response_shape", path };
      this.#reportOnce("shape", () => settings.logger?.warn(fields, "offers"));
    });
  }

  /** Calls `report` only the first time that this client reports `topic`. */
  #reportOnce(topic: string, report: () => unknown): void {
    const { reported } = this.#settings;
    if (!reported.has(topic)) notifySafely(report);
    reported.add(topic);
  }

  /**
   * Returns how long to wait before the next attempt, or undefined if the error ends the call. After the first 401, calls the `apiKey`
   * function again. Logs the failed attempt in every case.
   */
  async #decideRetry(error: AnyOffersError, startedAt: number): Promise<number | undefined> {
    const { apiKey } = this.#settings;
    let delayMs: number | undefined;
    try {
      if (typeof apiKey === "function" && error.code === "unauthenticated" && !this.#hasRefreshedKey) {
        this.#hasRefreshedKey = true;
        // A refreshed key allows one more attempt, which does not count as a retry (D-47).
        if (await this.#loadKey(apiKey, { refresh: true }, this.#deadline - performance.now())) delayMs = 0;
      } else if (this.#retries < this.#options.maxRetries) {
        delayMs = delayBeforeRetry(error, this.#operation.method, this.#settings, this.#retries);
        this.#retries += 1;
      }
      if (delayMs !== undefined && performance.now() + delayMs >= this.#deadline) delayMs = undefined;
      return delayMs;
    } finally {
      this.#logAttempt(startedAt, error.status, error.code, delayMs);
    }
  }

  #logAttempt(startedAt: number, status: number | undefined, code?: string, retryDelayMs?: number): void {
    const { logger, transport } = this.#settings;
    if (!logger) return;
    const durationMs = performance.now() - startedAt;
    const fields = {
      operation: this.operation,
      attempt: this.attempts,
      transport: transport.name,
      durationMs,
      status,
      code,
      retryDelayMs,
    };
    notifySafely(() => (code ? logger.warn(fields, "offers") : logger.debug(fields, "offers")));
  }
}

/**
 * The option that keeps browsers and frameworks from caching a GET, even a withdrawal. Old Workers reject it (workerd #698); their
 * `Request` lacks the property.
 */
const noStore = (): { cache?: "no-store" } =>
  "cache" in Object(globalThis.Request?.prototype) ? { cache: "no-store" } : {};

/**
 * Encodes the id as one path segment. Throws for an empty string and for dots, which would change the path, and for a lone surrogate, which
 * `encodeURIComponent` cannot encode.
 */
function encodeId(id: unknown): string {
  if (typeof id === "string" && !/^\.{0,2}$|[\uD800-\uDFFF]/u.test(id)) return encodeURIComponent(id);
  const problem = typeof id === "string" ? "an empty string, dots or invalid Unicode" : typeName(id);
  return throwUsageError(`id must be an offer id, not ${problem}`, "invalid_id");
}

const keyProviderFailed: Classification = {
  type: AuthenticationError,
  code: "api_key_provider_failed",
  message: "the apiKey function failed",
};

const middlewareFailed: Classification = {
  type: UsageError,
  code: "middleware_failed",
  message: "the middleware failed",
};

/** Calls the user's logger or callback. Ignores its errors, which would make a created offer look like a failure. */
function notifySafely(notify: () => unknown): void {
  const callNotify = async () => notify();
  callNotify().catch(() => {});
}
