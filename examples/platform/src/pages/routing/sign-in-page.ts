import type { RequestHandler } from "express";
import { html } from "hono/html";
import { ProblemError } from "../../problem/problem-error.ts";
import { closeSession } from "../../session/sessions.ts";
import { signIn } from "../../session/sign-in.ts";
import { field } from "../layout/field.ts";
import { formTokenField } from "../layout/form-token.ts";
import type { Markup } from "../layout/markup.ts";
import { checkOrigin } from "../security/check-csrf.ts";
import { ownPath } from "../security/own-path.ts";
import { openPageSession, type PageSession, renew } from "../security/page-session.ts";
import type { PageDeps } from "./page-deps.ts";
import type { Page } from "./page-result.ts";
import type { Audience } from "./page-section.ts";
import { sendPage } from "./send-page.ts";

export interface SignInTexts {
  title: string;
  lead: Markup | string;
  /** Of the name to sign in with. */
  label: string;
  type: "email" | "text";
}

export interface SignInRoutes {
  get: RequestHandler;
  post: RequestHandler;
}

/** The page where an audience signs in. */
export function signInRoutes<Who>(deps: PageDeps, audience: Audience<Who>, texts: SignInTexts): SignInRoutes {
  return {
    async get(request, response) {
      const session = await openPageSession(deps.cookies, audience.cookie, request, response);
      const next = ownPath(String(request.query.next ?? "")) ?? audience.home;
      await sendPage(audience, response, session, undefined, signInPage(audience, texts, session, { next }));
    },
    async post(request, response) {
      const session = await openPageSession(deps.cookies, audience.cookie, request, response);
      const form = await deps.readForm(request, response);
      checkOrigin(request, session, form, deps.publicOrigin);
      const name = form.get("name")?.trim() ?? "";
      const next = ownPath(form.get("next") ?? "") ?? audience.home;
      try {
        const credentials = { name: storable(name), password: form.get("password") ?? "", address: request.ip ?? "" };
        const { token } = await signIn(deps, audience.role, credentials);
        await endSession(deps, audience, session);
        await renew(session, { token });
        response.redirect(303, next);
      } catch (error) {
        if (!(error instanceof ProblemError)) throw error;
        const { "WWW-Authenticate": _, ...headers } = error.headers;
        response.set(headers);
        const page = signInPage(audience, texts, session, { next, name, problem: error });
        await sendPage(audience, response, session, undefined, page);
      }
    },
  };
}

/** `POST` where an audience signs out. Harmless when nobody is signed in. */
export const signOutRoute =
  <Who>(deps: PageDeps, audience: Audience<Who>): RequestHandler =>
  async (request, response) => {
    const session = await openPageSession(deps.cookies, audience.cookie, request, response);
    checkOrigin(request, session, await deps.readForm(request, response), deps.publicOrigin);
    await endSession(deps, audience, session);
    await renew(session, { notice: "You are signed out." });
    response.redirect(303, audience.signInPath);
  };

async function endSession<Who>(deps: PageDeps, { role }: Audience<Who>, session: PageSession): Promise<void> {
  const closed = session.token === undefined ? undefined : await closeSession(deps.store, session.token, role);
  if (closed !== undefined) deps.streams.end(closed);
}

/** PostgreSQL refuses U+0000 in any text, and nobody's name has it. */
const storable = (name: string): string => (name.includes("\0") ? "" : name);

interface SignInView {
  next: string;
  name?: string;
  problem?: ProblemError;
}

function signInPage<Who>(
  audience: Audience<Who>,
  { title, lead, label, type }: SignInTexts,
  session: PageSession,
  { next, name, problem }: SignInView,
): Page {
  const main = html`
    <header class="page-head"><h1>${title}</h1></header>
    <p class="lead">${lead}</p>
    ${problem && html`<p class="notice bad" role="alert">${problem.message}</p>`}
    <form method="post" action="${audience.signInPath}" class="panel narrow">
      ${formTokenField(session)}
      <input type="hidden" name="next" value="${next}">
      ${field({ name: "name", label, type, value: name, required: true, autocomplete: "username" })}
      ${field({ name: "password", label: "Password", type: "password", required: true, autocomplete: "current-password" })}
      <button>Sign in</button>
    </form>`;
  return { title, main, ...(problem && { status: problem.status }) };
}
