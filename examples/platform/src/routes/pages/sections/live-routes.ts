import type { RequestHandler } from "express";
import { streamNotifications } from "../../worker-app/stream-notifications.ts";
import type { PageDeps } from "../routing/page.ts";
import { pageRoutes } from "../routing/page-routes.ts";
import { appSection } from "./app-section.ts";
import { portalSection } from "./portal-section.ts";

/**
 * `GET /live`: sends server-sent events with the organisation's changed topics, so that the page can update the parts that show them.
 * Starts after `Last-Event-ID` or, on the first request, after the page's position.
 */
export function portalLiveRoute(deps: PageDeps): RequestHandler {
  const { authenticate, checkSession } = pageRoutes(deps, portalSection);
  return async (request, response) => {
    const { user, session } = await authenticate(request, response, "stream");
    // The client may have disconnected during authentication.
    if (response.destroyed) return;
    const write = deps.streams.start(response, {
      id: session.id,
      ownerId: session.ownerId,
      expiresInMs: session.expiresAt.getTime() - deps.now().getTime(),
      check: () => checkSession(request, response),
    });
    const since = request.get("last-event-id") ?? String(request.query.since);
    const unsubscribe = deps.live.follow(user.organisationIds, since, (topics, id) =>
      write(topics === "everything" ? { id, type: "missed", data: {} } : { id, type: "changed", data: { topics } }),
    );
    response.once("close", unsubscribe);
  };
}

/** `GET /app/live`: sends the worker's notifications after `Last-Event-ID` or, on the first request, after the notifications on the page. */
export function appLiveRoute(deps: PageDeps): RequestHandler {
  const { authenticate, checkSession } = pageRoutes(deps, appSection);
  return async (request, response) => {
    const { session } = await authenticate(request, response, "stream");
    const lastId = request.get("last-event-id") ?? String(request.query.since);
    await streamNotifications(deps, response, { session, lastId, check: () => checkSession(request, response) });
  };
}
