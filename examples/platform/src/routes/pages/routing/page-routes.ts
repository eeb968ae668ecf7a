import type { Request, RequestHandler, Response } from "express";
import type { PersonUse } from "../../../accounts/rate-limits.ts";
import { findSession, limitKey, useSession } from "../../../accounts/sessions.ts";
import { ProblemError, problemKinds } from "../../../http/problem.ts";
import { pathParameter } from "../../../http/routes.ts";
import { currentTimeZone, defaultTimeZone } from "../../../time-zones/time-zone.ts";
import { localTimes } from "../layout/time.ts";
import { isOfThisSession } from "../security/check-csrf.ts";
import { openPageSession, type PageSession } from "../security/page-session.ts";
import type { PageContext, PageDeps, PageSection, ShowPage, SubmitForm } from "./page.ts";
import { sendPage } from "./send-page.ts";
import { credentialsAgain, sendAgainPage, signInAgainPage, typedIn } from "./sign-in-again.ts";
import { outdatedPage, startSession } from "./sign-in-page.ts";

/** Handlers of a section's pages: check the session, then the form's CSRF token, then run the page. */
export function pageRoutes<User>(deps: PageDeps, section: PageSection<User>) {
  const open = (request: Request, response: Response): Promise<PageSession> =>
    openPageSession(deps.cookies, section, request, response);

  async function readContext(
    request: Request,
    response: Response,
    pageSession: PageSession,
    use?: PersonUse,
  ): Promise<PageContext<User>> {
    const { token = "", formToken, timeZone: browserZone } = pageSession;
    // The check of an open stream cannot renew the cookie.
    const session = await (use === undefined ? findSession : useSession)(deps, token, section.role);
    if (session === undefined) throw unauthenticated();
    if ("isExtended" in session && session.isExtended) await pageSession.save();
    if (use !== undefined) await deps.personLimits.count(limitKey(section.role, session), use);
    const livePosition = deps.live.position();
    const user = await section.readUser(deps.store, session, deps.now);
    const id = pathParameter(request, "id");
    const chosen = section.timeZoneOf(user);
    const times = localTimes(currentTimeZone(chosen ?? browserZone ?? defaultTimeZone));
    const isBrowserZone = chosen === null && browserZone !== undefined;
    const own = { user, session, times, isBrowserZone };
    const context: PageContext<User> = { deps, request, id, formToken, livePosition, ...own };
    // Used by the layout of an error page.
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
  /** @param restore shows a form of an earlier session again, with its input, and has no effect */
  const submit =
    (act: SubmitForm<User>, restore: SubmitForm<User> = sendAgainPage): RequestHandler =>
    async (request, response) => {
      const session = await open(request, response);
      const form = await deps.readForm(request, response);
      const isOfThis = isOfThisSession(request, session, form, deps.publicOrigin);
      const isSignedIn = (await findSession(deps, session.token ?? "", section.role)) !== undefined;
      if (!isSignedIn) {
        const credentials = credentialsAgain(form);
        try {
          if (credentials === undefined) throw unauthenticated();
          if (!isOfThis) throw outdatedPage();
          await startSession(deps, section, { request, session }, credentials);
        } catch (error) {
          if (!(error instanceof ProblemError) || !request.accepts("html")) throw error;
          const { "WWW-Authenticate": _, ...headers } = error.headers;
          response.set(headers);
          const page = signInAgainPage(section, session, request.originalUrl, form, credentials && error);
          return sendPage(section, response, session, undefined, page);
        }
      }
      const context = await readContext(request, response, session, "act");
      if (isSignedIn && isOfThis) return sendPage(section, response, session, context, await act(context, form));
      const restored = await restore(context, typedIn(form));
      session.notice = "You have signed in again. Nothing was changed yet; what you typed is kept, except secrets.";
      const status = isSignedIn ? problemKinds.csrf_check_failed.status : 200;
      await sendPage(section, response, session, context, "to" in restored ? restored : { ...restored, status });
    };
  /**
   * Authenticates requests that are not pages: streams and images.
   *
   * @param use kind of request for the rate limit (D-91); omitted for a stream that was counted when it started
   */
  const contextOf = async (request: Request, response: Response, use?: PersonUse): Promise<PageContext<User>> =>
    readContext(request, response, await open(request, response), use);
  /** Rejects once the session of an open stream has ended. */
  const checkSession = async (request: Request, response: Response): Promise<void> => {
    const { token = "" } = await open(request, response);
    if ((await findSession(deps, token, section.role)) === undefined) throw unauthenticated();
  };
  return { show, submit, contextOf, checkSession };
}

const unauthenticated = (): ProblemError => new ProblemError("unauthenticated", "Sign in, then try again.");
