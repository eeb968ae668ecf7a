import type { RequestHandler } from "express";
import type { PageDeps } from "../routing/page-deps.ts";
import { pageRoutes } from "../routing/page-routes.ts";
import { portalAudience } from "./portal-section.ts";

/**
 * `GET /live`: which topics of the organisation change, as server-sent events without content: a page then reads anew what it
 * shows of them. Goes on after `Last-Event-ID`, the first time after the position that its page was made at.
 */
export function liveRoute(deps: PageDeps): RequestHandler {
  const { visitOf } = pageRoutes(deps, portalAudience);
  return async (request, response) => {
    const { who, sessionId, expiresAt } = await visitOf(request, response, "stream");
    if (response.destroyed) return;
    const write = deps.streams.begin(response, {
      id: sessionId,
      expiresInMs: expiresAt.getTime() - deps.now().getTime(),
      check: () => visitOf(request, response),
    });
    const since = request.get("last-event-id") ?? String(request.query.since);
    const end = deps.live.follow(who.organisationId, since, (topics, id) =>
      write(topics === "everything" ? { id, type: "missed", data: {} } : { id, type: "changed", data: { topics } }),
    );
    response.once("close", end);
  };
}
