import type { RequestHandler } from "express";
import { closeSession, findSession, signIn } from "../../../accounts/sessions.ts";
import { ProblemError } from "../../../http/problem.ts";
import type { Methods } from "../../../http/routes.ts";
import { timeZoneField } from "../../../time-zones/time-zone.ts";
import { field, formTokenField } from "../layout/field.ts";
import { html } from "../layout/markup.ts";
import { checkCsrf } from "../security/check-csrf.ts";
import { ownPath } from "../security/own-path.ts";
import { openPageSession, type PageSession, renew } from "../security/page-session.ts";
import type { Page, PageDeps, PageSection } from "./page.ts";
import { sendPage } from "./send-page.ts";

/** The sign-in page of a section. */
export function signInRoutes<User>(deps: PageDeps, section: PageSection<User>): Methods {
  return {
    async get(request, response) {
      const session = await openPageSession(deps.cookies, section.cookie, request, response);
      const next = ownPath(String(request.query.next ?? "")) ?? section.home;
      await sendPage(section, response, session, undefined, signInPage(section, session, { next }));
    },
    async post(request, response) {
      const session = await openPageSession(deps.cookies, section.cookie, request, response);
      const form = await deps.readForm(request, response);
      checkCsrf(request, session, form, deps.publicOrigin);
      const name = form.get("name")?.trim() ?? "";
      const next = ownPath(form.get("next") ?? "") ?? section.home;
      try {
        const credentials = { name: storable(name), password: form.get("password") ?? "", address: request.ip ?? "" };
        const { token } = await signIn(deps, section.role, credentials);
        await endSession(deps, section, session);
        const timeZone = await browserTimeZone(deps, section, token, form);
        await renew(session, { token, ...timeZone });
        response.redirect(303, next);
      } catch (error) {
        if (!(error instanceof ProblemError)) throw error;
        const { "WWW-Authenticate": _, ...headers } = error.headers;
        response.set(headers);
        const page = signInPage(section, session, { next, name, problem: error });
        await sendPage(section, response, session, undefined, page);
      }
    },
  };
}

/** `POST` of the sign-out path. Has no effect without a session. */
export const signOutRoute =
  <User>(deps: PageDeps, section: PageSection<User>): RequestHandler =>
  async (request, response) => {
    const session = await openPageSession(deps.cookies, section.cookie, request, response);
    checkCsrf(request, session, await deps.readForm(request, response), deps.publicOrigin);
    await endSession(deps, section, session);
    await renew(session, { notice: "You are signed out." });
    response.redirect(303, section.signInPath);
  };

/**
 * The browser's time zone, which a script fills in (D-115). Stored where it is the user's own; otherwise for the session.
 */
export async function browserTimeZone<User>(
  deps: PageDeps,
  section: PageSection<User>,
  token: string,
  form: URLSearchParams,
): Promise<{ timeZone?: string }> {
  const { data: timeZone } = timeZoneField.safeParse(form.get("timeZone"));
  if (timeZone === undefined) return {};
  if (section.guessTimeZone === undefined) return { timeZone };
  const session = await findSession(deps, token, section.role);
  if (session !== undefined) await section.guessTimeZone(deps.store, session.ownerId, timeZone);
  return {};
}

/** Ends the browser's session, if any. */
export async function endSession<User>(
  deps: PageDeps,
  { role }: PageSection<User>,
  session: PageSession,
): Promise<void> {
  const closed = session.token === undefined ? undefined : await closeSession(deps.store, session.token, role);
  if (closed !== undefined) deps.streams.end(closed);
}

/** PostgreSQL rejects U+0000 in text, and no name contains it. */
const storable = (name: string): string => (name.includes("\0") ? "" : name);

interface SignInView {
  next: string;
  name?: string;
  problem?: ProblemError;
}

function signInPage<User>(
  { signInPath, signIn: { title, lead, label, type } }: PageSection<User>,
  session: PageSession,
  { next, name, problem }: SignInView,
): Page {
  const main = html`
    <header class="page-head"><h1>${title}</h1></header>
    <p class="lead">${lead}</p>
    ${problem && html`<p class="notice bad" role="alert">${problem.message}</p>`}
    <form method="post" action="${signInPath}" class="panel narrow">
      ${formTokenField(session)}
      <input type="hidden" name="next" value="${next}">
      <input type="hidden" name="timeZone" data-time-zone>
      ${field({ name: "name", label, type, value: name, required: true, autocomplete: "username" })}
      ${field({ name: "password", label: "Password", type: "password", required: true, autocomplete: "current-password" })}
      <button>Sign in</button>
    </form>`;
  return { title, main, ...(problem && { status: problem.status }) };
}
