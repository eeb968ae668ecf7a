import type { RequestHandler } from "express";
import { streamNotifications } from "../../worker-app/stream-notifications.ts";
import type { PageDeps } from "../routing/page-deps.ts";
import { pageRoutes } from "../routing/page-routes.ts";
import { appAudience } from "./app-section.ts";

/** `GET /app/live`: what the worker is told, after `Last-Event-ID`, the first time after what the page has. */
export function appLiveRoute(deps: PageDeps): RequestHandler {
  const { visitOf } = pageRoutes(deps, appAudience);
  return async (request, response) => {
    const { who, sessionId, expiresAt } = await visitOf(request, response, "stream");
    const lastId = request.get("last-event-id") ?? String(request.query.since);
    const session = { id: sessionId, ownerId: who.id, expiresAt };
    await streamNotifications(deps, response, { session, lastId, check: () => visitOf(request, response) });
  };
}
