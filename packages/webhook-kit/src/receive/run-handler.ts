import { errorDocsUrl } from "@offers/contract/decisions";
import type { RunningHandler } from "../deduplication/deduplicate.ts";
import type { Endpoint, HandledEndpoint } from "../endpoints/endpoint.ts";
import type { TraceContext } from "../endpoints/events.ts";
import { type HandlerContext, type Handlers, toWebhookEvent } from "../endpoints/handlers.ts";
import { HandlerError } from "../errors/errors.ts";
import { findDeliveryId, type IncomingRequest } from "../http/request.ts";
import { acknowledged, type WebhookResponse } from "../http/response.ts";
import { isThenable, withTimeout } from "../http/timeouts.ts";
import type { VerifiedRequest } from "../signature/verify-signature.ts";

/**
 * Starts an endpoint's handler, with the handler timeout (D-25). A request to an endpoint without a handler is acknowledged.
 *
 * @param deduplicationKey for the handler's context, like `trace`
 */
export function runHandler<Incoming>(
  { handlers, handlerTimeoutMs }: { readonly handlers: Handlers<Incoming>; readonly handlerTimeoutMs: number },
  endpoint: Endpoint,
  input: unknown,
  { rawHeaders, request }: Pick<IncomingRequest<Incoming>, "rawHeaders" | "request">,
  { verified, receivedAt }: Pick<VerifiedRequest, "verified" | "receivedAt">,
  deduplicationKey: string | undefined,
  trace?: TraceContext,
): RunningHandler {
  if (!endpoint.handler) return { response: acknowledged, outcome: acknowledged };
  const { name } = endpoint;
  const timeout = new HandlerTimeout();
  const context: HandlerContext<Incoming> = {
    source: "webhook",
    unverifiedDeliveryId: findDeliveryId(rawHeaders),
    deduplicationKey,
    verified,
    receivedAt,
    request,
    trace,
    get signal() {
      return timeout.signal;
    },
  };
  const outcome = callHandler(handlers, endpoint, input, context);
  if (!isThenable(outcome)) return { response: outcome, outcome };
  const response = withTimeout(outcome, handlerTimeoutMs, () => {
    timeout.elapse();
    return createHandlerTimeoutError(name, handlerTimeoutMs);
  });
  return { response, outcome };
}

/**
 * Aborts the signal of a handler that takes too long. The AbortController is created only when a handler reads the signal, because it is
 * expensive.
 */
class HandlerTimeout {
  #controller: AbortController | undefined;
  #hasElapsed = false;

  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController();
      if (this.#hasElapsed) this.#abort();
    }
    return this.#controller.signal;
  }

  elapse(): void {
    this.#hasElapsed = true;
    this.#abort();
  }

  #abort(): void {
    this.#controller?.abort(new DOMException("handlerTimeoutMs has elapsed.", "TimeoutError"));
  }
}

/**
 * Calls the handler. Returns a rejected promise if the handler throws or its result is invalid. Otherwise returns a promise only if the
 * handler does, so that no timer is needed for a synchronous handler.
 */
function callHandler<Incoming>(
  handlers: Handlers<Incoming>,
  endpoint: HandledEndpoint,
  input: unknown,
  context: HandlerContext<Incoming>,
): WebhookResponse | Promise<WebhookResponse> {
  const { name, handler, respond } = endpoint;
  let result: unknown;
  let isPending: boolean;
  try {
    // Call the handler as a method, so that `this` is the options object, which may be an instance of a class.
    result =
      handlers[handler] === undefined
        ? handlers.onEvent?.(toWebhookEvent(name, input, context), context)
        : (handlers as Record<string, (input: unknown, context: unknown) => unknown>)[handler]?.(input, context);
    isPending = isThenable(result);
  } catch (cause) {
    return Promise.reject(wrapHandlerError(name, cause));
  }
  if (isPending) return respondLater(endpoint, result);
  try {
    return respond(result);
  } catch (cause) {
    return Promise.reject(cause);
  }
}

async function respondLater({ name, respond }: HandledEndpoint, pendingResult: unknown): Promise<WebhookResponse> {
  let result: unknown;
  try {
    result = await pendingResult;
  } catch (cause) {
    throw wrapHandlerError(name, cause);
  }
  return respond(result);
}

const createHandlerTimeoutError = (name: string, handlerTimeoutMs: number): HandlerError =>
  new HandlerError(
    "handler_timed_out",
    `The handler for ${name} took more than ${handlerTimeoutMs} ms; it keeps running, and 503 was returned. Move slow work to a queue, as ${queueGuide} shows, or raise handlerTimeoutMs.`,
  );

const queueGuide = new URL("guides/workers.md", errorDocsUrl).href;

/** Wraps whatever a handler threw, even an error from the kit, because its message may contain anything (D-49). */
const wrapHandlerError = (name: string, cause: unknown): HandlerError =>
  new HandlerError("handler_failed", `The handler for ${name} threw; see this error's cause. 500 was returned.`, {
    cause,
  });
