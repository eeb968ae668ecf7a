import type { RequestHandler } from "express";
import type { PageDeps } from "../routing/page-deps.ts";
import { pageRoutes } from "../routing/page-routes.ts";
import { portalSection } from "./portal-section.ts";

/**
 * `GET /live`: server-sent events that name the organisation's changed topics, whose parts the page then reloads. Resumes after
 * `Last-Event-ID`, or at first after the position of the page.
 */
export function liveRoute(deps: PageDeps): RequestHandler {
  const { contextOf } = pageRoutes(deps, portalSection);
  return async (request, response) => {
    const { user, sessionId, expiresAt } = await contextOf(request, response, "stream");
    if (response.destroyed) return;
    const write = deps.streams.begin(response, {
      id: sessionId,
      expiresInMs: expiresAt.getTime() - deps.now().getTime(),
      check: () => contextOf(request, response),
    });
    const since = request.get("last-event-id") ?? String(request.query.since);
    const end = deps.live.follow(user.organisationId, since, (topics, id) =>
      write(topics === "everything" ? { id, type: "missed", data: {} } : { id, type: "changed", data: { topics } }),
    );
    response.once("close", end);
  };
}
