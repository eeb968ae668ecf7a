import type { Router } from "express";
import { z } from "zod";
import { createLimitSchema, createParameterSchema } from "../../http/list-cursor.ts";
import { defineRoutes, jsonResponse, pathParameter } from "../../http/routes.ts";
import { parseBody } from "../../http/validation.ts";
import { readFeed } from "../../webhooks/event-feed.ts";
import { redeliverOne, redeliverRange, redeliveryRangeSchema } from "../portal/deliveries/redeliver.ts";
import { type ApiDeps, apiRoute } from "./operation.ts";

/** Adds operations that only the reference platform has: the event feed and redeliveries (D-133, D-134). They require an API key. */
export function mountExtensions(router: Router, deps: ApiDeps): void {
  defineRoutes(router, "/events", {
    get: apiRoute(deps, { ...unversioned, parameters: ["after", "limit"] }, async ({ caller, request }) => {
      const { after, limit } = request.query;
      const page = parseBody(feedSchema, { after, limit });
      return jsonResponse(200, await readFeed(deps.store, caller.organisationId, page));
    }),
  });
  defineRoutes(router, "/events/redeliver", {
    post: apiRoute(deps, unversioned, async ({ caller, request, response }) => {
      const range = parseBody(redeliveryRangeSchema, await deps.readJson(request, response));
      return jsonResponse(202, await redeliverRange(deps, caller, range));
    }),
  });
  defineRoutes(router, "/events/:id/redeliver", {
    post: apiRoute(deps, unversioned, async ({ caller, request }) =>
      jsonResponse(202, await redeliverOne(deps, caller, pathParameter(request, "id"))),
    ),
  });
}

/** The live service does not have these operations, so no dialect requires `api-version`. */
const unversioned = { isVersionRequired: false };

const feedSchema = z.strictObject({
  after: createParameterSchema(
    (text) => (text === "" ? undefined : text),
    "Send one `cursor`, exactly as the previous page returned it, or omit the parameter to start with the oldest event.",
  ),
  limit: createLimitSchema(1_000, 100),
});
