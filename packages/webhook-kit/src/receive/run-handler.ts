import { messageKey } from "../deduplication/dedupe-keys.ts";
import type { RunningHandler } from "../deduplication/deduplicate.ts";
import type { Endpoint, HandledEndpoint } from "../endpoints/endpoint.ts";
import { HandlerError } from "../errors.ts";
import type { HandlerContext, Handlers } from "../handlers.ts";
import { findDeliveryId } from "../http/headers.ts";
import type { IncomingRequest } from "../http/incoming-request.ts";
import { acknowledged, type WebhookResponse } from "../http/response.ts";
import { withTimeout } from "../http/with-timeout.ts";
import type { VerifiedRequest } from "../signature/verify-signature.ts";
import { toWebhookEvent } from "./to-webhook-event.ts";

/** Starts the handler of an endpoint, with the handler timeout (D-25). An endpoint without a handler is acknowledged. */
export function runHandler<Incoming>(
  { handlers, handlerTimeoutMs }: { readonly handlers: Handlers<Incoming>; readonly handlerTimeoutMs: number },
  endpoint: Endpoint,
  input: unknown,
  incoming: Pick<IncomingRequest<Incoming>, "rawHeaders" | "request">,
  verifiedRequest: VerifiedRequest,
): RunningHandler {
  if (!endpoint.handler) {
    const response = Promise.resolve(acknowledged);
    return { response, outcome: response };
  }
  const controller = new AbortController();
  const context: HandlerContext<Incoming> = {
    unverifiedDeliveryId: findDeliveryId(incoming.rawHeaders),
    get deduplicationKey() {
      return messageKey(verifiedRequest);
    },
    verified: verifiedRequest.verified,
    receivedAt: verifiedRequest.receivedAt,
    request: incoming.request,
    signal: controller.signal,
  };
  const outcome = callHandler(handlers, endpoint, input, context);
  const response = withTimeout(outcome, handlerTimeoutMs, () => {
    controller.abort(new DOMException("handlerTimeoutMs has elapsed.", "TimeoutError"));
    const message = `The handler of ${endpoint.name} took more than ${handlerTimeoutMs} ms.`;
    return new HandlerError("handler_timed_out", message);
  });
  return { response, outcome };
}

async function callHandler<Incoming>(
  handlers: Handlers<Incoming>,
  { name, handler, respond }: HandledEndpoint,
  input: unknown,
  context: HandlerContext<Incoming>,
): Promise<WebhookResponse> {
  let result: unknown;
  try {
    // As a method, so that `this` is the options: they may be an object of a class.
    result = await (handlers[handler] === undefined
      ? handlers.onEvent?.(toWebhookEvent(name, input, context), context)
      : (handlers as Record<string, (input: unknown, context: unknown) => unknown>)[handler]?.(input, context));
  } catch (cause) {
    // Always the cause, also if it is an error of the kit: its message is the user's, and may hold anything (D-49).
    throw new HandlerError(
      "handler_failed",
      `The handler of ${name} threw; the cause of this error is what it threw. The sender got 500.`,
      { cause },
    );
  }
  return respond(result);
}
