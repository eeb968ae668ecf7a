/**
 * `@offers/webhook-kit/fetch`: the receiver for frameworks with Request and Response.
 *
 * @module fetch
 */

import { eventEndpoints } from "./endpoints/endpoints.ts";
import type { WebhookEvent } from "./endpoints/events.ts";
import type { Handlers } from "./endpoints/handlers.ts";
import { ConfigurationError } from "./errors/errors.ts";
import { readBasePath, readTarget, type StripBasePath } from "./http/base-path.ts";
import { readFetchBody } from "./http/body.ts";
import type { IncomingRequest } from "./http/request.ts";
import type { WebhookResponse } from "./http/response.ts";
import type { ReceiverOptions, VerifyOptions } from "./options/options.ts";
import { receive } from "./receive/receive.ts";
import { type ReceiverSettings, readReceiverOptions, startReceiver } from "./receive/settings.ts";

export type { ReceiverOptions, WebhookEvent };

/**
 * Creates a function from `Request` to `Response` that serves the webhook endpoints, for Hono, Next, Bun, Deno, Workers, Lambda and other
 * frameworks. The returned promise rejects only with `wrong_request_type`. The body must be unread; it is read only after the headers are
 * verified. Cloudflare Workers need the compatibility flag `nodejs_compat`. The framework guides show Hono, Next and Lambda.
 *
 * @param options.basePath the mount path as it appears in `request.url`: `/offers`, or `/hooks/:tenant`, where `:tenant` matches any single
 * segment. Requests to other paths are rejected with 404 and `unknown_path`. Default `/`
 * @throws {ConfigurationError} for an invalid secret or option
 *
 * @example Bun, Deno and Workers
 * ```ts
 * import { webhookHandler } from "@offers/webhook-kit/fetch";
 *
 * const server = {
 *   fetch: webhookHandler({
 *     basePath: "/offers",
 *     secret: "5f0c9a7e-2d43-4f0e-9b7a-0d6f3c1e8a52",
 *     onWorkerOfferResponse: ({ offerId, workerId, response }) => console.log(offerId, workerId, response),
 *   }),
 * };
 * export { server as default };
 * ```
 */
export function webhookHandler(
  options: ReceiverOptions<Request> & {
    /** The mount path as it appears in `request.url`: `/offers`, or `/hooks/:tenant`. @default "/" */
    basePath?: string | undefined;
  },
): (request: Request) => Promise<Response> {
  const settings = startReceiver<Request>(options);
  const { basePath = "/" } = options;
  const stripBasePath = readBasePath(basePath);
  return (request) => respond(settings, request, stripBasePath);
}

/**
 * Options for {@link parseWebhook}. Event handlers and deduplication are not options, because they belong where events are handled.
 *
 * @example
 * ```ts
 * import { standardWebhooks } from "@offers/webhook-kit";
 * import type { ParseWebhookOptions } from "@offers/webhook-kit/fetch";
 *
 * export const options: ParseWebhookOptions = {
 *   basePath: "/offers",
 *   secret: process.env.WEBHOOK_SECRET ?? "",
 *   scheme: standardWebhooks(),
 * };
 * ```
 */
export type ParseWebhookOptions = VerifyOptions<Request> &
  Pick<ReceiverOptions<Request>, "suggestContacts" | "handlerTimeoutMs" | "tracer"> & {
    /** The mount path as it appears in `request.url`. @default "/" */
    basePath?: string | undefined;
  };

/**
 * Verifies and validates one webhook without handling it: enqueue `event`, if there is one, and send `response`. For any framework with
 * `Request` and `Response`. `event` is undefined for a rejected request, and for `/test`, `/test/auth` and contact suggestions.
 *
 * Webhooks are not deduplicated. Enqueue the event before you respond. If that fails, do not catch the error: your framework then responds
 * with 500, and the service retries.
 *
 * @param request its body must be unread
 * @returns the event and the response
 * @throws {ConfigurationError} (rejects) for an invalid secret or option, and `wrong_request_type`
 *
 * @example
 * ```ts
 * import { parseWebhook } from "@offers/webhook-kit/fetch";
 *
 * declare const queue: { send(json: string): Promise<void> };
 *
 * export async function POST(request: Request): Promise<Response> {
 *   const options = { basePath: "/offers", secret: process.env.WEBHOOK_SECRET ?? "" };
 *   const { event, response } = await parseWebhook(options, request);
 *   if (event) await queue.send(JSON.stringify(event));
 *   return response;
 * }
 * ```
 */
export async function parseWebhook(
  options: ParseWebhookOptions,
  request: Request,
): Promise<{
  /** The event to enqueue, if any. */
  readonly event: WebhookEvent | undefined;
  /** The response to send. */
  readonly response: Response;
}> {
  const settings = readReceiverOptions<Request>(options);
  rejectHandlingOptions(options);
  const stripBasePath = readBasePath(options.basePath ?? "/");
  let event: WebhookEvent | undefined;
  const handlers: Handlers<Request> = {
    ...(options.suggestContacts && { suggestContacts: options.suggestContacts.bind(options) }),
    onEvent(received) {
      event = received;
    },
  };
  const response = await respond({ ...settings, handlers, deduplication: false }, request, stripBasePath);
  return { event, response };
}

/** Rejects options for handling events, because an event that `parseWebhook` handles would be missing from the queue. */
function rejectHandlingOptions(options: object): void {
  const names = ["deduplication", "replayProtection", "onEvent", ...eventEndpoints.map(({ handler }) => handler)];
  const name = names.find((option) => Reflect.get(options, option) !== undefined);
  if (name !== undefined)
    throw new ConfigurationError(
      "invalid_option",
      `parseWebhook has no ${name} option, because it returns the event. Pass ${name} to webhookHandler, or to your worker.`,
    );
}

async function respond(
  settings: ReceiverSettings<Request>,
  request: Request,
  stripBasePath: StripBasePath,
): Promise<Response> {
  const incoming = toIncomingRequest(request, stripBasePath);
  const response = await receive(settings, incoming);
  return toResponse(response ?? settings.observer.rejectUnknownPath(incoming.target, stripBasePath), request.method);
}

function toIncomingRequest(request: Request, stripBasePath: StripBasePath): IncomingRequest<Request> {
  if (typeof request?.url !== "string" || typeof request.headers?.forEach !== "function")
    throw new ConfigurationError(
      "wrong_request_type",
      "webhookHandler and parseWebhook take a fetch Request. In Hono pass context.req.raw, in SvelteKit event.request; for node:http use webhookListener from @offers/webhook-kit/node, for AWS Lambda webhookFunction from @offers/webhook-kit/lambda.",
    );
  const { target, path } = readTarget(request.url);
  const rawHeaders: string[] = [];
  request.headers.forEach((value, name) => void rawHeaders.push(name, value));
  return {
    method: request.method,
    path: stripBasePath(path),
    target,
    rawHeaders,
    request,
    readBody: (maxBytes, timeoutMs) => readFetchBody(request, maxBytes, timeoutMs),
  };
}

const toResponse = ({ status, headers, body }: WebhookResponse, method: string): Response =>
  // The body is null instead of "", because some statuses must not have a body, not even an empty one.
  new Response(method === "HEAD" || body === "" ? null : body, { status, headers });
