import type { RequestHandler } from "express";
import { markNow } from "../changes/changes-since.ts";
import { isMark } from "../changes/mark.ts";
import { pageRoutes } from "./frame/page-routes.ts";
import type { PageDeps } from "./page-deps.ts";
import { portalAudience } from "./portal-audience.ts";

/** Above it, looking at everything anew is less. */
const maxChanges = 500;

/**
 * `GET /live`: what of the organisation changes, as server-sent events without content: a page then reads the part it shows
 * anew. Goes on after `Last-Event-ID`, the first time after the mark that its page was made at.
 */
export function liveRoute(deps: PageDeps): RequestHandler {
  const { visitOf } = pageRoutes(deps, portalAudience);
  return async (request, response) => {
    const { who, sessionId, expiresAt } = await visitOf(request, response, "stream");
    const asked = request.get("last-event-id") ?? String(request.query.since);
    const isKnown = isMark(asked);
    const mark = isKnown ? asked : await markNow(deps.store);
    if (response.destroyed) return;
    const write = deps.streams.begin(response, {
      id: sessionId,
      expiresInMs: expiresAt.getTime() - deps.now().getTime(),
      check: () => visitOf(request, response),
    });
    // Whoever names no mark, or one of too long ago, may have missed anything.
    const missed = (at: string): void => write({ id: at, type: "missed", data: {} });
    if (!isKnown) missed(mark);
    const end = deps.changeFeed.subscribe(who.organisationId, mark, ({ changes, mark: id, isComplete }) => {
      if (!isComplete || changes.length > maxChanges) return missed(id);
      // One event for all: whoever heard its id has heard all of it.
      const told = changes.map(({ subject, subjectId }) => ({ type: subject, id: subjectId }));
      write({ id, type: "changed", data: { changes: told } });
    });
    response.once("close", end);
  };
}
