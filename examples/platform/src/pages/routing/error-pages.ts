import type { ErrorRequestHandler } from "express";
import { html } from "hono/html";
import type { ProblemError } from "../../problem/problem-error.ts";
import { problemOf } from "../../problem/problem-handler.ts";
import { problemKinds } from "../../problem/problem-kinds.ts";
import type { Visit } from "./page-context.ts";
import type { PageDeps } from "./page-deps.ts";
import type { Page } from "./page-result.ts";
import type { Audience } from "./page-section.ts";

/** Answers what a page's route threw: with a page that says what to do, or the way to the sign-in. */
export const errorPages =
  <Who>(deps: Pick<PageDeps, "onFailedPage">, audience: Audience<Who>): ErrorRequestHandler =>
  async (error: unknown, request, response, next) => {
    // A stream and a script want no page.
    if (response.headersSent || !request.accepts("html")) return next(error);
    const problem = problemOf(error);
    if (problem.status >= 500) deps.onFailedPage(error, response);
    const isRead = request.method === "GET" || request.method === "HEAD";
    if (problem.code === "not_signed_in" && isRead) {
      const next = encodeURIComponent(request.originalUrl);
      return response.redirect(
        303,
        request.originalUrl === audience.home ? audience.signInPath : `${audience.signInPath}?next=${next}`,
      );
    }
    const visit = response.locals.visit as Visit<Who> | undefined;
    const page = errorPage(problem, audience, String(response.get("X-Request-Id")));
    const document = await audience.frame(page, { visit, notice: undefined });
    const { "WWW-Authenticate": _, ...headers } = problem.headers;
    response.status(problem.status).set(headers).type("html").send(String(document));
  };

function errorPage(
  { code, status, message }: ProblemError,
  audience: Pick<Audience<unknown>, "home" | "signInPath">,
  requestId: string,
): Page {
  const { title } = problemKinds[code];
  const link =
    code === "not_signed_in"
      ? html`<a class="button" href="${audience.signInPath}">Sign in</a>`
      : html`<a class="button quiet" href="${audience.home}">Go to the first page</a>`;
  const main = html`
    <header class="page-head"><h1>${title}</h1></header>
    <p class="lead">${message}</p>
    <p>${link}</p>
    <p class="fine">Answer ${status}, request <code>${requestId}</code></p>`;
  return { title, main };
}
