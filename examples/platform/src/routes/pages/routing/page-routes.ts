import type { Request, RequestHandler, Response } from "express";
import type { PersonUse } from "../../../accounts/rate-limits.ts";
import { findSession, limitKey } from "../../../accounts/sessions.ts";
import { ProblemError } from "../../../http/problem.ts";
import { pathParameter } from "../../../http/routes.ts";
import { currentTimeZone, defaultTimeZone } from "../../../time-zones/time-zone.ts";
import { localTimes } from "../layout/time.ts";
import { checkCsrf } from "../security/check-csrf.ts";
import { openPageSession, type PageSession } from "../security/page-session.ts";
import type { PageContext, PageDeps, PageSection, ShowPage, SubmitForm } from "./page.ts";
import { sendPage } from "./send-page.ts";

/** Handlers of a section's pages: check the session, then the form's CSRF token, then run the page. */
export function pageRoutes<User>(deps: PageDeps, section: PageSection<User>) {
  const open = (request: Request, response: Response): Promise<PageSession> =>
    openPageSession(deps.cookies, section.cookie, request, response);

  async function readContext(
    request: Request,
    response: Response,
    { token = "", formToken, timeZone: browserZone }: PageSession,
    use?: PersonUse,
  ): Promise<PageContext<User>> {
    const session = await findSession(deps, token, section.role);
    if (session === undefined) throw new ProblemError("unauthenticated", "Sign in, then try again.");
    if (use !== undefined) await deps.personLimits.count(limitKey(section.role, session), use);
    const livePosition = deps.live.position();
    const user = await section.readUser(deps.store, session);
    const id = pathParameter(request, "id");
    const chosen = section.timeZoneOf(user);
    const times = localTimes(currentTimeZone(chosen ?? browserZone ?? defaultTimeZone));
    const isBrowserZone = chosen === null && browserZone !== undefined;
    const own = { user, session, times, isBrowserZone };
    const context: PageContext<User> = { deps, request, id, formToken, livePosition, ...own };
    // For the layout of an error page.
    response.locals.context = context;
    return context;
  }

  const show =
    (page: ShowPage<User>): RequestHandler =>
    async (request, response) => {
      const session = await open(request, response);
      // A live update does not count as a read of the user.
      const use = request.get("x-part") === undefined ? "read" : "live";
      const context = await readContext(request, response, session, use);
      await sendPage(section, response, session, context, await page(context));
    };
  const submit =
    (act: SubmitForm<User>): RequestHandler =>
    async (request, response) => {
      const session = await open(request, response);
      const form = await deps.readForm(request, response);
      checkCsrf(request, session, form, deps.publicOrigin);
      const context = await readContext(request, response, session, "act");
      await sendPage(section, response, session, context, await act(context, form));
    };
  /**
   * Authenticates requests that are not pages: streams and images.
   *
   * @param use kind of request for the rate limit (D-91); omitted for a stream that was counted when it began
   */
  const contextOf = async (request: Request, response: Response, use?: PersonUse): Promise<PageContext<User>> =>
    readContext(request, response, await open(request, response), use);
  return { show, submit, contextOf };
}
