/**
 * `@offers/webhook-kit/fetch`: the receiver for frameworks with Request and Response.
 *
 * @module fetch
 */

import { readBasePath, type StripBasePath } from "./http/base-path.ts";
import { readFetchBody } from "./http/fetch-body.ts";
import type { IncomingRequest } from "./http/incoming-request.ts";
import { readTarget } from "./http/request-target.ts";
import type { WebhookResponse } from "./http/response.ts";
import type { ReceiverOptions } from "./options/options.ts";
import { readReceiverOptions } from "./options/settings.ts";
import { receive } from "./receive/receive.ts";
import { rejectUnknownPath } from "./receive/unknown-path.ts";

/**
 * Every webhook endpoint, for Hono, Next, Bun, Deno, Workers, Lambda and other frameworks with `Request` and `Response`. The
 * returned promise never rejects. The body must be unread, and is read only after the headers are verified. The guide
 * "Recipes" shows Hono, Next, Lambda, and a secret for each tenant.
 *
 * @param options.basePath where the receiver is mounted, as it stands in `request.url`: `/offers`, or `/hooks/:tenant`, where
 *   `:tenant` stands for any one segment. Any other path is a 404 and `unknown_path`. Default `/`
 * @throws {ConfigurationError} at once, for an invalid secret or option
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
  options: ReceiverOptions<Request> & { basePath?: string },
): (request: Request) => Promise<Response> {
  const settings = readReceiverOptions<Request>(options);
  const { basePath = "/" } = options;
  const stripBasePath = readBasePath(basePath);
  return async (request) => {
    const response = await receive(settings, toIncomingRequest(request, stripBasePath));
    return toResponse(response ?? rejectUnknownPath(settings.observer), request.method);
  };
}

function toIncomingRequest(request: Request, stripBasePath: StripBasePath): IncomingRequest<Request> {
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
  // Not "": some statuses must not have a body, not even an empty one.
  new Response(method === "HEAD" || body === "" ? null : body, { status, headers });
