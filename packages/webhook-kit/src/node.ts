/**
 * `@offers/webhook-kit/node`: the receiver for `node:http`, `node:http2` and connect-style frameworks.
 *
 * @module node
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Http2ServerRequest, Http2ServerResponse } from "node:http2";
import { ConfigurationError } from "./errors/errors.ts";
import { readBasePath, readTarget, type StripBasePath } from "./http/base-path.ts";
import { getRawHeaders, readNodeBody } from "./http/body.ts";
import { closeOnFailure, onNotFound, writeNodeResponse } from "./http/node-response.ts";
import type { IncomingRequest } from "./http/request.ts";
import type { WebhookResponse } from "./http/response.ts";
import type { ReceiverOptions } from "./options/options.ts";
import { receive } from "./receive/receive.ts";
import { startReceiver } from "./receive/settings.ts";

export type { ReceiverOptions };

/**
 * Creates a listener that serves the webhook endpoints, for `node:http` and `node:http2`, or as middleware for connect-style frameworks. A
 * request to an unknown path goes to `next` if there is one, and is otherwise rejected with 404 and `unknown_path`. With HTTP/2, the
 * `request` in a handler's context is Node's `Http2ServerRequest`.
 *
 * @param options.basePath the mount path as it appears in `request.url`: `/offers`, or `/hooks/:tenant`, where `:tenant` matches any single
 * segment. Default `/`, which is correct if a framework removes the mount path
 * @throws {ConfigurationError} for an invalid secret or option; the listener throws `wrong_request_type`
 *
 * @example
 * ```ts
 * import { createServer } from "node:http";
 * import { webhookListener } from "@offers/webhook-kit/node";
 *
 * const webhooks = webhookListener({
 *   basePath: "/offers",
 *   secret: process.env.WEBHOOK_SECRET ?? "",
 *   onWorkerOfferResponse: ({ offerId, workerId, response }) => console.log(offerId, workerId, response),
 * });
 * createServer(webhooks).listen(3000);
 * ```
 */
export function webhookListener(
  options: ReceiverOptions<IncomingMessage> & {
    /** The mount path as it appears in `request.url`: `/offers`, or `/hooks/:tenant`. @default "/" */
    basePath?: string | undefined;
  },
): (
  request: IncomingMessage | Http2ServerRequest,
  response: ServerResponse | Http2ServerResponse,
  next?: (error?: unknown) => void,
) => void {
  const settings = startReceiver<IncomingMessage>(options);
  const { basePath = "/" } = options;
  const stripBasePath = readBasePath(basePath);
  return (received, response, next) => {
    const request = received as IncomingMessage;
    requireNodeArguments(request, response);
    const writeResult = (result: WebhookResponse | undefined) => {
      if (!result && next) {
        onNotFound(response, () => settings.observer.reportUnhandledPath(incoming.target));
        return next();
      }
      writeNodeResponse(
        request,
        response,
        result ?? settings.observer.rejectUnknownPath(incoming.target, stripBasePath),
      );
    };
    const incoming = toIncomingRequest(request, stripBasePath);
    const work = receive(settings, incoming).then(writeResult);
    closeOnFailure(response, work, (cause) => settings.observer.reportCrash(cause));
  };
}

/** Checks that the arguments are a node:http request and response. @throws {ConfigurationError} `wrong_request_type` */
function requireNodeArguments(
  request: IncomingMessage | undefined,
  response: ServerResponse | Http2ServerResponse | undefined,
): void {
  if (typeof request?.url !== "string" || typeof response?.writeHead !== "function")
    throw new ConfigurationError(
      "wrong_request_type",
      "webhookListener takes a node:http request and response. In Fastify pass request.raw and reply.raw, in Koa context.req and context.res; for a fetch Request use webhookHandler from @offers/webhook-kit/fetch.",
    );
}

/** If a framework in front removed the mount path, `originalUrl` still contains it. */
type MountedRequest = IncomingMessage & { readonly originalUrl?: unknown };

function toIncomingRequest(request: MountedRequest, stripBasePath: StripBasePath): IncomingRequest<IncomingMessage> {
  const { url = "", originalUrl } = request;
  return {
    method: request.method ?? "",
    path: stripBasePath(readTarget(url).path),
    target: typeof originalUrl === "string" ? originalUrl : url,
    rawHeaders: getRawHeaders(request),
    request,
    readBody: (maxBytes, timeoutMs) => readNodeBody(request, maxBytes, timeoutMs),
  };
}
