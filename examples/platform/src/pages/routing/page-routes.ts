import type { Request, RequestHandler, Response } from "express";
import { ProblemError } from "../../problem/problem-error.ts";
import type { PersonUse } from "../../rate-limits/person-limits.ts";
import { findSession, limitKey } from "../../session/sessions.ts";
import { checkOrigin } from "../security/check-csrf.ts";
import { openPageSession, type PageSession } from "../security/page-session.ts";
import type { Visit } from "./page-context.ts";
import type { PageDeps } from "./page-deps.ts";
import type { PageAnswer } from "./page-result.ts";
import type { Audience } from "./page-section.ts";
import { sendPage } from "./send-page.ts";

export interface PageRoutes<Who> {
  /** A GET: shows a page to somebody signed in. */
  show(page: (visit: Visit<Who>) => Promise<PageAnswer> | PageAnswer): RequestHandler;
  /** A POST: does what somebody signed in asks for with a form of ours, then leads on; or shows the form again. */
  act(act: (visit: Visit<Who>, form: URLSearchParams) => Promise<PageAnswer> | PageAnswer): RequestHandler;
  /**
   * Who is there, for what is no page: a stream, a picture.
   *
   * @param use what it counts as (D-91); nothing for what was counted when it began
   */
  visitOf(request: Request, response: Response, use?: PersonUse): Promise<Visit<Who>>;
}

/** What all pages of an audience have in common: the session first, a form's origin second, then the page itself. */
export function pageRoutes<Who>(deps: PageDeps, audience: Audience<Who>): PageRoutes<Who> {
  const open = (request: Request, response: Response): Promise<PageSession> =>
    openPageSession(deps.cookies, audience.cookie, request, response);

  async function readVisit(
    request: Request,
    response: Response,
    session: PageSession,
    use?: PersonUse,
  ): Promise<Visit<Who>> {
    const signedIn = await findSession(deps, session.token ?? "", audience.role);
    if (signedIn === undefined) throw new ProblemError("not_signed_in", "Sign in, then try again.");
    if (use !== undefined) await deps.personLimits.count(limitKey(audience.role, signedIn), use);
    const livePosition = deps.live.position();
    const { id: sessionId, ownerId, expiresAt } = signedIn;
    const who = await audience.readSignedIn(deps.store, ownerId);
    const visit: Visit<Who> = { who, request, formToken: session.formToken, sessionId, expiresAt, livePosition };
    // What is thrown later is shown with the frame around it.
    response.locals.visit = visit;
    return visit;
  }

  return {
    show: (page) => async (request, response) => {
      const session = await open(request, response);
      // A page that reads itself anew takes nothing from the person who reads it.
      const use = request.get("x-part") === undefined ? "read" : "live";
      const visit = await readVisit(request, response, session, use);
      await sendPage(audience, response, session, visit, await page(visit));
    },
    act: (act) => async (request, response) => {
      const session = await open(request, response);
      const form = await deps.readForm(request, response);
      checkOrigin(request, session, form, deps.publicOrigin);
      const visit = await readVisit(request, response, session, "act");
      await sendPage(audience, response, session, visit, await act(visit, form));
    },
    visitOf: async (request, response, use) => readVisit(request, response, await open(request, response), use),
  };
}
