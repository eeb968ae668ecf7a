/**
 * `@offers/webhook-kit/express`: the receiver for Express 4 and 5.
 *
 * @module express
 */
import type { Request, RequestHandler } from "express";
import { ConfigurationError } from "./errors/errors.ts";
import type { RejectionFacts } from "./errors/rejection.ts";
import { readTarget } from "./http/base-path.ts";
import { getRawHeaders, readNodeBody } from "./http/body.ts";
import { closeOnFailure, onNotFound, writeNodeResponse } from "./http/node-response.ts";
import type { IncomingRequest } from "./http/request.ts";
import type { WebhookResponse } from "./http/response.ts";
import type { ReceiverOptions, VerifyOptions } from "./options/options.ts";
import { receive } from "./receive/receive.ts";
import { startReceiver, startVerifier } from "./receive/settings.ts";
import { type VerifiedWebhook, verifyOnly } from "./receive/verify-only.ts";

export type { ReceiverOptions, VerifyOptions };

declare global {
  namespace Express {
    interface Request {
      /** Set by `verifyWebhook`. */
      webhook?: VerifiedWebhook;
    }
  }
}

/**
 * Creates a router with the webhook endpoints, for Express 4 and 5. `/test` and `/test/auth` are always mounted, every other endpoint only
 * if you pass its handler. Requests to unknown paths go to your next middleware. Mount the router before any body parser.
 *
 * @throws {ConfigurationError} for an invalid secret or option; the middleware throws `wrong_request_type`
 *
 * @example
 * ```ts
 * import { webhookRouter } from "@offers/webhook-kit/express";
 * import express from "express";
 *
 * const app = express();
 * app.use(
 *   "/offers",
 *   webhookRouter({
 *     secret: process.env.WEBHOOK_SECRET ?? "",
 *     onWorkerOfferResponse: ({ offerId, workerId, response }) => console.log(offerId, workerId, response),
 *   }),
 * );
 * app.listen(3000);
 * ```
 */
export function webhookRouter(options: ReceiverOptions<Request>): RequestHandler {
  const settings = startReceiver(options);
  rejectBasePath(options);
  return (request, response, next) => {
    requireExpress(request, next);
    const writeResult = (result: WebhookResponse | undefined) => {
      if (result) return writeNodeResponse(request, response, result);
      // An Express route does not strip the mount path, so no webhook path would ever match.
      if (request.route) settings.observer.reportRejection(mountedOnRoute);
      else onNotFound(response, () => settings.observer.reportUnhandledPath(path));
      next();
    };
    const incoming = toIncomingRequest(request);
    // Express restores the full path when the next middleware runs.
    const { path } = incoming;
    const work = receive(settings, incoming).then(writeResult);
    closeOnFailure(response, work, (cause) => settings.observer.reportCrash(cause));
  };
}

/**
 * Creates middleware that only verifies, for your own route: it responds with 401, or sets `request.webhook` and calls `next`. With the
 * default scheme it leaves the body for your parser.
 *
 * @throws {ConfigurationError} for an invalid secret or option; the middleware throws `wrong_request_type`
 *
 * @example
 * ```ts
 * import { verifyWebhook } from "@offers/webhook-kit/express";
 * import express from "express";
 *
 * const app = express();
 * const check = verifyWebhook({ secret: process.env.WEBHOOK_SECRET ?? "" });
 * app.post("/our/own/path", check, express.json(), (request, response) => {
 *   console.log(request.webhook?.verified.variant, request.body);
 *   response.sendStatus(200);
 * });
 * ```
 */
export function verifyWebhook(options: VerifyOptions<Request>): RequestHandler {
  const settings = startVerifier(options);
  rejectBasePath(options);
  return (request, response, next) => {
    requireExpress(request, next);
    const proceed = (outcome: Awaited<ReturnType<typeof verifyOnly>>) => {
      if ("response" in outcome) return writeNodeResponse(request, response, outcome.response);
      request.webhook = outcome.webhook;
      next();
    };
    const work = verifyOnly(settings, toIncomingRequest(request)).then(proceed);
    closeOnFailure(response, work, (cause) => settings.observer.reportCrash(cause));
  };
}

function rejectBasePath(options: object): void {
  if (Reflect.get(options, "basePath") !== undefined)
    throw new ConfigurationError(
      "invalid_option",
      "basePath is not an option in Express; mount webhookRouter with app.use(path, webhookRouter(options)).",
    );
}

/** @throws {ConfigurationError} `wrong_request_type` */
function requireExpress(request: Request | undefined, next: unknown): void {
  // Fastify's request also has a url, but is not a stream.
  const isNodeRequest = typeof request?.url === "string" && typeof request.pipe === "function";
  if (typeof next !== "function" || (typeof request?.path !== "string" && !isNodeRequest))
    throw new ConfigurationError(
      "wrong_request_type",
      "webhookRouter and verifyWebhook are middleware for Express, connect and Nest; for node:http, Fastify and Koa use webhookListener from @offers/webhook-kit/node.",
    );
}

const mountedOnRoute: RejectionFacts = {
  code: "unknown_path",
  status: 404,
  message: "No webhook has this path. Mount webhookRouter with app.use(path, …), not with app.all or app.post.",
};

/** Converts a request. Under connect and Nest on Fastify, it may lack Express's `path` and `originalUrl`. */
const toIncomingRequest = (request: Request): IncomingRequest<Request> => ({
  method: request.method,
  path: request.path ?? readTarget(request.url).path,
  target: request.originalUrl ?? request.url,
  rawHeaders: getRawHeaders(request),
  request,
  readBody: (maxBytes, timeoutMs) => readNodeBody(request, maxBytes, timeoutMs),
});
