import type { RequestHandler, Router } from "express";
import { z } from "zod";
import { authenticate, type Caller } from "../../accounts/api-keys.ts";
import { readFeed } from "../../dispatch/event-feed.ts";
import { parameter } from "../../http/list-cursor.ts";
import { defineRoutes, jsonResponse, pathParameter, type RouteResponse, sendResponse } from "../../http/routes.ts";
import { checkParameters, parseBody } from "../../http/validation.ts";
import { redeliverOne, redeliverRange, redeliveryRangeSchema } from "../portal/deliveries/redeliver.ts";
import { type ApiDeps, checkApiVersion } from "./operation.ts";

/** Operations of the reference platform alone, with an API key: the event feed and redeliveries (D-133, D-134). */
export function mountExtensions(router: Router, deps: ApiDeps): void {
  defineRoutes(router, "/events", {
    get: extension(deps, ["after", "limit"], async ({ organisationId }, { query }) => {
      const page = parseBody(feedSchema, { after: query.after, limit: query.limit });
      return jsonResponse(200, await readFeed(deps.store, organisationId, page));
    }),
  });
  defineRoutes(router, "/events/redeliver", {
    post: extension(deps, [], async (caller, request, response) => {
      const range = parseBody(redeliveryRangeSchema, await deps.readJson(request, response));
      return jsonResponse(202, await redeliverRange(deps, caller, range));
    }),
  });
  defineRoutes(router, "/events/:id/redeliver", {
    post: extension(deps, [], async (caller, request) =>
      jsonResponse(202, await redeliverOne(deps, caller, pathParameter(request, "id"))),
    ),
  });
}

const maxFeedLimit = 1_000;

const feedSchema = z.strictObject({
  after: parameter(
    (text) => (text === "" ? undefined : text),
    "Use `cursor` of the previous page unchanged and once, or omit it.",
  ),
  limit: parameter(
    (text) => (/^[1-9]\d{0,3}$/.test(text) && Number(text) <= maxFeedLimit ? Number(text) : undefined),
    `Write a whole number from 1 to ${maxFeedLimit}, once.`,
  ).transform((given) => given ?? 100),
});

/** Checks the API key, then the version and the query parameters. */
const extension =
  (
    deps: ApiDeps,
    parameters: readonly string[],
    respond: (caller: Caller, ...given: Parameters<RequestHandler>) => Promise<RouteResponse>,
  ): RequestHandler =>
  async (request, response, next) => {
    const caller = await authenticate(deps, request);
    checkApiVersion(request, false);
    checkParameters(request, ["api-version", ...parameters]);
    sendResponse(response, await respond(caller, request, response, next));
  };
