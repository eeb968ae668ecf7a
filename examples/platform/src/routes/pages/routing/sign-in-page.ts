import type { RequestHandler } from "express";
import { closeSession, findSession, signIn } from "../../../accounts/sessions.ts";
import type { Visitor } from "../../../accounts/visitor.ts";
import { ProblemError } from "../../../http/problem.ts";
import type { Methods } from "../../../http/routes.ts";
import { timeZoneField } from "../../../time-zones/time-zone.ts";
import { field, formTokenField } from "../layout/field.ts";
import { html, type Markup } from "../layout/markup.ts";
import { ownPath } from "../security/own-path.ts";
import { openPageSession, type PageSession, renewSession } from "../security/page-session.ts";
import type { Page, PageDeps, PageSection } from "./page.ts";
import { receiveForm } from "./receive-form.ts";
import { sendPage } from "./send-page.ts";

/** Creates the routes for a section's sign-in page. */
export function signInRoutes<User>(deps: PageDeps, section: PageSection<User>): Methods {
  return {
    async get(request, response) {
      const session = await openPageSession(deps.cookies, section, request, response);
      const next = ownPath(String(request.query.next ?? "")) ?? section.home;
      await sendPage(section, response, session, undefined, signInPage(section, session, { next }));
    },
    async post(request, response) {
      const { form, session, visitor, isCurrent } = await receiveForm(deps, section, request, response, "credentials");
      const credentials = parseCredentials(form);
      const next = ownPath(form.get("next") ?? "") ?? section.home;
      try {
        if (!isCurrent) throw outdatedPageError();
        await startSession(deps, section, { session, visitor }, credentials);
        response.redirect(303, next);
      } catch (error) {
        if (!(error instanceof ProblemError)) throw error;
        response.set(pageHeaders(error));
        const page = signInPage(section, session, { next, name: credentials.name, problem: error });
        await sendPage(section, response, session, undefined, page);
      }
    },
  };
}

/** Returns a problem's headers without `WWW-Authenticate`, because users sign in with a form. */
export function pageHeaders({ headers }: ProblemError): ProblemError["headers"] {
  const { "WWW-Authenticate": _, ...others } = headers;
  return others;
}

/** Creates the error for a sign-in form that belongs to an earlier session. */
export const outdatedPageError = (): ProblemError =>
  new ProblemError("csrf_check_failed", "This page was open for too long. Enter your password again.");

/** The user's input in a sign-in form. */
export interface Credentials {
  name: string;
  password: string;
  /** The browser's time zone, which the script fills in; empty without the script. */
  timeZone: string;
}

/** Reads the sign-in fields. @param prefix the prefix of the field names, for a form that also has other fields */
export const parseCredentials = (form: URLSearchParams, prefix = ""): Credentials => ({
  name: form.get(`${prefix}name`)?.trim() ?? "",
  password: form.get(`${prefix}password`) ?? "",
  timeZone: form.get(`${prefix}timeZone`) ?? "",
});

/**
 * Signs the user in and replaces the browser's session.
 *
 * @throws {ProblemError} `invalid_credentials` or `too_many_sign_ins`
 */
export async function startSession<User>(
  deps: PageDeps,
  section: PageSection<User>,
  { session, visitor }: { session: PageSession; visitor: Visitor },
  { name, password, timeZone }: Credentials,
): Promise<void> {
  const { token } = await signIn(deps, section.role, { name: toStorableName(name), password, visitor });
  await endSession(deps, section, session);
  await renewSession(session, { token, ...(await storeBrowserTimeZone(deps, section, token, timeZone)) });
}

/** Creates the handler that signs the user out and redirects to the sign-in page, even if the session has already ended. */
export const signOutRoute =
  <User>(deps: PageDeps, section: PageSection<User>): RequestHandler =>
  async (request, response) => {
    const { session, isCurrent, isSignedIn } = await receiveForm(deps, section, request, response, "credentials");
    if (!isCurrent && isSignedIn)
      throw new ProblemError(
        "csrf_check_failed",
        "You have signed in again since this page was loaded. Reload the page, then sign out.",
      );
    await endSession(deps, section, session);
    await renewSession(session, { notice: "You have been signed out." });
    response.redirect(303, section.signInPath);
  };

/**
 * Stores the browser's time zone, which the script fills in, for the user (D-115). If the section does not store time zones, returns it
 * for the session instead. Ignores an invalid time zone.
 */
export async function storeBrowserTimeZone<User>(
  deps: PageDeps,
  section: PageSection<User>,
  token: string,
  input: string | null,
): Promise<{ timeZone?: string }> {
  const { data: timeZone } = timeZoneField.safeParse(input);
  if (timeZone === undefined) return {};
  if (section.storeBrowserTimeZone === undefined) return { timeZone };
  const session = await findSession(deps, token, section.role);
  if (session !== undefined) await section.storeBrowserTimeZone(deps.store, session.ownerId, timeZone);
  return {};
}

/** Ends the browser's session and its event streams, if any. */
export async function endSession<User>(
  deps: PageDeps,
  { role }: PageSection<User>,
  session: PageSession,
): Promise<void> {
  const closedSessionId = session.token === undefined ? undefined : await closeSession(deps.store, session.token, role);
  if (closedSessionId !== undefined) deps.streams.end(closedSessionId);
}

/** Returns the name, or an empty string if the name contains U+0000, which PostgreSQL cannot store and no user name contains. */
const toStorableName = (name: string): string => (name.includes("\0") ? "" : name);

interface SignInView {
  next: string;
  name?: string;
  problem?: ProblemError;
}

function signInPage<User>(section: PageSection<User>, session: PageSession, { next, name, problem }: SignInView): Page {
  const { signInPath, signIn } = section;
  const main = html`
    <header class="page-head"><h1>${signIn.title}</h1></header>
    <p class="lead">${signIn.lead}</p>
    ${problem && html`<p class="notice bad" role="alert">${problem.message}</p>`}
    <form method="post" action="${signInPath}" class="panel narrow">
      ${formTokenField(session)}
      <input type="hidden" name="next" value="${next}">
      ${credentialFields(section, name)}
      <button>Sign in</button>
    </form>`;
  return { title: signIn.title, main, ...(problem && { status: problem.status }) };
}

/** Renders the sign-in fields. @param prefix the prefix of the field names, as in `parseCredentials` */
export const credentialFields = <User>(
  { signIn: { label, type } }: PageSection<User>,
  name: string | undefined,
  prefix = "",
): Markup => html`
      <input type="hidden" name="${prefix}timeZone" data-time-zone>
      ${field({ id: "name", name: `${prefix}name`, label, type, value: name, required: true, autocomplete: "username" })}
      ${field({ id: "password", name: `${prefix}password`, label: "Password", type: "password", required: true, autocomplete: "current-password" })}`;
