import type { RunningHandler } from "../deduplication/deduplicate.ts";
import type { Endpoint, HandledEndpoint } from "../endpoints/endpoint.ts";
import { HandlerError } from "../errors.ts";
import type { Handlers } from "../handlers.ts";
import { acknowledged, type WebhookResponse } from "../http/response.ts";
import { HandlerRun } from "./handler-run.ts";
import { toWebhookEvent } from "./to-webhook-event.ts";

/**
 * Starts the handler of an endpoint, with the handler timeout (D-25). An endpoint without a handler is acknowledged.
 *
 * @returns promises that reject with {@link HandlerError}
 */
export function runHandler<Incoming>(
  { handlers, handlerTimeoutMs }: { readonly handlers: Handlers<Incoming>; readonly handlerTimeoutMs: number },
  endpoint: Endpoint,
  input: unknown,
  run: HandlerRun<Incoming>,
): RunningHandler {
  if (!endpoint.handler) {
    const response = Promise.resolve(acknowledged);
    return { response, outcome: response };
  }
  const outcome = callHandler(handlers, endpoint, input, run);
  const response = new Promise<WebhookResponse>((resolve, reject) => {
    const timer = setTimeout(() => {
      HandlerRun.expire(run);
      reject(timedOut(endpoint.name, handlerTimeoutMs));
    }, handlerTimeoutMs);
    outcome.then(
      (value) => {
        clearTimeout(timer);
        resolve(value);
      },
      (error) => {
        clearTimeout(timer);
        reject(error);
      },
    );
  });
  return { response, outcome };
}

async function callHandler<Incoming>(
  handlers: Handlers<Incoming>,
  { name, handler, respond }: HandledEndpoint,
  input: unknown,
  run: HandlerRun<Incoming>,
): Promise<WebhookResponse> {
  let result: unknown;
  try {
    // As a method, so that `this` is the options: they may be an object of a class.
    result = await (handlers[handler] === undefined
      ? handlers.onEvent?.(toWebhookEvent(name, input, run), run)
      : (handlers as Record<string, (input: unknown, context: HandlerRun<Incoming>) => unknown>)[handler]?.(
          input,
          run,
        ));
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

const timedOut = (endpoint: string, timeoutMs: number): HandlerError =>
  new HandlerError("handler_timed_out", `The handler of ${endpoint} took more than ${timeoutMs} ms.`);
