import type { RequestHandler } from "express";
import { streamNotifications } from "../../worker-app/stream-notifications.ts";
import type { PageDeps } from "../routing/page-deps.ts";
import { pageRoutes } from "../routing/page-routes.ts";
import { appSection } from "./app-section.ts";

/** `GET /app/live`: the worker's notifications after `Last-Event-ID`, or at first after those on the page. */
export function appLiveRoute(deps: PageDeps): RequestHandler {
  const { contextOf } = pageRoutes(deps, appSection);
  return async (request, response) => {
    const { user, sessionId, expiresAt } = await contextOf(request, response, "stream");
    const lastId = request.get("last-event-id") ?? String(request.query.since);
    const session = { id: sessionId, ownerId: user.id, expiresAt };
    await streamNotifications(deps, response, { session, lastId, check: () => contextOf(request, response) });
  };
}
