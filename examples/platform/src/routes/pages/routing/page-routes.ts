import type { Request, RequestHandler, Response } from "express";
import type { PersonUse } from "../../../accounts/rate-limits.ts";
import { accountKey, findAndExtendSession, findSession } from "../../../accounts/sessions.ts";
import { openVisitor } from "../../../accounts/visitor.ts";
import { ProblemError, problemKinds } from "../../../http/problem.ts";
import { pathParameter } from "../../../http/routes.ts";
import { currentTimeZone, defaultTimeZone } from "../../../time-zones/time-zone.ts";
import { localTimes } from "../layout/time.ts";
import { openPageSession, type PageSession } from "../security/page-session.ts";
import type { Page, PageContext, PageDeps, PageSection, ShowPage, SubmitForm } from "./page.ts";
import { type ReceivedForm, receiveForm } from "./receive-form.ts";
import { sendPage } from "./send-page.ts";
import { readCredentials, restorableInput, sendAgainPage, signInAgainPage } from "./sign-in-again.ts";
import { outdatedPageError, pageHeaders, startSession } from "./sign-in-page.ts";

/** Creates handlers for a section's pages. They check the session and, for a form, the CSRF token before they run the page. */
export function pageRoutes<User>(deps: PageDeps, section: PageSection<User>) {
  const openSession = (request: Request, response: Response): Promise<PageSession> =>
    openPageSession(deps.cookies, section, request, response);

  /** Checks and extends the session, counts the request for the rate limit (D-91), and reads the user. */
  async function readContext(
    request: Request,
    response: Response,
    pageSession: PageSession,
    use: PersonUse,
  ): Promise<PageContext<User>> {
    const { token = "", formToken, timeZone: browserZone } = pageSession;
    const session = await findAndExtendSession(deps, token, section.role);
    if (session === undefined) throw unauthenticated();
    const account = accountKey(section.role, session.ownerId);
    if (session.isExtended) {
      await pageSession.save();
      const visitor = await openVisitor(deps.cookies, request, response);
      await visitor.rememberDevice(account);
    }
    await deps.personLimits.count(account, use);
    const livePosition = deps.live.position();
    const user = await section.readUser(deps.store, session, deps.now);
    const id = pathParameter(request, "id");
    const chosenZone = section.getTimeZone(user);
    const times = localTimes(currentTimeZone(chosenZone ?? browserZone ?? defaultTimeZone));
    const isBrowserZone = chosenZone === null && browserZone !== undefined;
    const userValues = { user, session, times, isBrowserZone };
    const context: PageContext<User> = { deps, request, id, formToken, livePosition, ...userValues };
    // Error pages need the context for their layout.
    response.locals.context = context;
    return context;
  }

  /**
   * Signs in with the form's credentials. Returns the page that asks for them if they are missing or rejected, or if the form's page is
   * outdated. If the client does not accept HTML, throws the error instead.
   */
  async function signInAgain(
    request: Request,
    response: Response,
    { form, session, visitor, isCurrent }: ReceivedForm,
  ): Promise<Page | undefined> {
    const credentials = readCredentials(form);
    try {
      if (credentials === undefined) throw unauthenticated();
      if (!isCurrent) throw outdatedPageError();
      await startSession(deps, section, { session, visitor }, credentials);
      return undefined;
    } catch (error) {
      if (!(error instanceof ProblemError) || !request.accepts("html")) throw error;
      response.set(pageHeaders(error));
      return signInAgainPage(section, session, request.originalUrl, form, credentials && error);
    }
  }

  /** Creates the handler for a GET. */
  const show =
    (page: ShowPage<User>): RequestHandler =>
    async (request, response) => {
      const session = await openSession(request, response);
      // A live update does not count as a read by the user.
      const use = request.get("x-part") === undefined ? "read" : "live";
      const context = await readContext(request, response, session, use);
      await sendPage(section, response, session, context, await page(context));
    };
  /**
   * Creates the handler for a form.
   *
   * @param restore renders the form again with the user's input, after the session has ended or changed. It must not have effects.
   */
  const submit =
    (handleForm: SubmitForm<User>, restore: SubmitForm<User> = sendAgainPage): RequestHandler =>
    async (request, response) => {
      const received = await receiveForm(deps, section, request, response);
      const { form, session, isCurrent, isSignedIn: wasSignedIn } = received;
      if (!wasSignedIn) {
        const page = await signInAgain(request, response, received);
        if (page !== undefined) return sendPage(section, response, session, undefined, page);
      }
      const context = await readContext(request, response, session, "act");
      if (wasSignedIn && isCurrent)
        return sendPage(section, response, session, context, await handleForm(context, form));
      const restoredPage = await restore(context, restorableInput(form));
      session.notice =
        "You have signed in again. Nothing has been changed yet. Your input was kept, except for secrets.";
      const status = wasSignedIn ? problemKinds.csrf_check_failed.status : 200;
      await sendPage(
        section,
        response,
        session,
        context,
        "to" in restoredPage ? restoredPage : { ...restoredPage, status },
      );
    };
  /**
   * Authenticates requests for streams and images, which are not pages.
   *
   * @param use the type of request for the rate limit (D-91)
   */
  const authenticate = async (request: Request, response: Response, use: PersonUse): Promise<PageContext<User>> =>
    readContext(request, response, await openSession(request, response), use);
  /** Rejects if an open stream's session has ended. */
  const checkSession = async (request: Request, response: Response): Promise<void> => {
    const { token = "" } = await openSession(request, response);
    if ((await findSession(deps, token, section.role)) === undefined) throw unauthenticated();
  };
  return { show, submit, authenticate, checkSession };
}

const unauthenticated = (): ProblemError => new ProblemError("unauthenticated", "Sign in, then try again.");
