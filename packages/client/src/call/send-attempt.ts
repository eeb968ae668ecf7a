import type { Classification } from "../errors/connection-errors.ts";
import { UsageError } from "../errors/error-classes.ts";
import { type FailedCall, toOffersError } from "../errors/failure.ts";
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
  attempts: number;
  key: string;
}

/**
 * One attempt, from its start to the end of the response body. Its request timeout is `timeoutMs`, or what is left of
 * `totalTimeoutMs` if that is less (D-25). Rejects with `call.own`.
 *
 * @param call its `attempts` grow by one unless the caller's signal is already aborted
 */
export function sendAttempt(
  call: Call,
  { method, url, headers, body, options }: PreparedRequest,
  remainingMs: number,
  { apiKeyHeader, maxResponseBytes, middleware, fetch }: ClientSettings,
): Promise<ReceivedResponse> {
  call.own = undefined;
  const send: Send = (request) => fetch(request.url, { ...request, redirect: "manual", cache: "no-store" });
  /** Middleware sees the error that the call would reject with. */
  const sendForMiddleware: Send = async (request) => {
    try {
      return await send(request);
    } catch (thrown) {
      throw toOffersError(thrown, call);
    }
  };
  let isInMiddleware = middleware.length > 0;
  const work = async (signal: AbortSignal): Promise<ReceivedResponse> => {
    const { operation, key } = call;
    const attempt = ++call.attempts;
    const ownHeaders = { ...headers, [apiKeyHeader]: key };
    const toSend = isInMiddleware
      ? middleware.reduceRight<Send>((next, layer) => (request) => layer(request, next), sendForMiddleware)
      : send;
    const request = { operation, attempt, method, url, headers: ownHeaders, body, maxResponseBytes, signal };
    const response = await toSend(request);
    if (typeof response.text !== "function") throw new TypeError("not a Response");
    isInMiddleware = false;
    return { response, text: await readBody(response, maxResponseBytes) };
  };
  return withTimeout(call, Math.min(options.timeoutMs, remainingMs), options.signal, work, () =>
    isInMiddleware ? middlewareFailed : undefined,
  );
}

const middlewareFailed: Classification = [UsageError, "middleware_failed", "the middleware failed"];

type Send = (request: OffersRequest) => Promise<FetchResponse>;
