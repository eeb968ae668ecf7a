import type { Classification } from "../errors/connection-errors.ts";
import { TimeoutError, UsageError } from "../errors/error-classes.ts";
import { type FailedCall, Failure, toOffersError, wrap } from "../errors/failure.ts";
import type { FetchResponse, OffersRequest, OperationName } from "../http.ts";
import type { ClientSettings } from "../options/settings.ts";
import type { PreparedRequest } from "./prepare-request.ts";
import { readBody } from "./read-body.ts";
import { withTimeout } from "./with-timeout.ts";

/** A response and its body. */
export interface ReceivedResponse {
  readonly response: FetchResponse;
  /** Undefined when the body exceeds `maxResponseBytes`. */
  readonly text: string | undefined;
}

/** A call on its way. */
export interface Call extends FailedCall {
  readonly operation: OperationName;
}

/**
 * One attempt, from its start to the end of the response body. Its request timeout is `timeoutMs`, or what is left of
 * `totalTimeoutMs` if that is less (D-25). Rejects with a `Failure`, or with `call.own`.
 *
 * @param call its `attempts` grow by one unless the caller's signal is already aborted
 */
export function sendAttempt(
  call: Call,
  { method, url, headers, body, options }: PreparedRequest,
  remainingMs: number,
  settings: ClientSettings,
): Promise<ReceivedResponse> {
  const { timeoutMs, totalTimeoutMs } = options;
  const { apiKeyHeader, maxResponseBytes } = settings;
  call.own = undefined;
  return withTimeout(
    Math.min(timeoutMs, remainingMs),
    options.signal,
    (signal) => {
      const { operation, key } = call;
      const attempt = ++call.attempts;
      const ownHeaders = { ...headers, [apiKeyHeader]: key };
      return exchange(
        { operation, attempt, method, url, headers: ownHeaders, body, maxResponseBytes, signal },
        settings,
        call,
      );
    },
    (aborted) => {
      const limit = timeoutMs > remainingMs ? `totalTimeoutMs (${totalTimeoutMs} ms)` : `timeoutMs (${timeoutMs} ms)`;
      const message = `no complete response within ${limit}; allow more time`;
      call.own = toOffersError(aborted ?? new Failure(TimeoutError, message), call);
      return call.own;
    },
  );
}

const middlewareFailed: Classification = [UsageError, "middleware_failed", "the middleware failed"];

type Send = (request: OffersRequest) => Promise<FetchResponse>;

/** Sends a request through the middleware and reads the response body. */
async function exchange(
  request: OffersRequest,
  { middleware, fetch }: Pick<ClientSettings, "middleware" | "fetch">,
  call: FailedCall,
): Promise<ReceivedResponse> {
  const isOwn = (thrown: unknown) => call.own !== undefined && thrown === call.own;
  const send = (request: OffersRequest) => fetch(request.url, { ...request, redirect: "manual", cache: "no-store" });
  /** Middleware sees the error that the call would reject with. */
  const sendForMiddleware: Send = async (request) => {
    try {
      return await send(request);
    } catch (thrown) {
      call.own = toOffersError(isOwn(thrown) ? thrown : wrap(thrown, call.key), call);
      throw call.own;
    }
  };
  let isInMiddleware = middleware.length > 0;
  try {
    const toSend = isInMiddleware
      ? middleware.reduceRight<Send>((next, layer) => (request) => layer(request, next), sendForMiddleware)
      : send;
    const response = await toSend(request);
    if (typeof response.text !== "function") throw new TypeError("the value returned is not a Response");
    isInMiddleware = false;
    return { response, text: await readBody(response, request.maxResponseBytes) };
  } catch (thrown) {
    throw isOwn(thrown) ? thrown : wrap(thrown, call.key, isInMiddleware ? middlewareFailed : undefined);
  }
}
