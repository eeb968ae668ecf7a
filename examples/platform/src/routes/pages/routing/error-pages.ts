import type { ErrorRequestHandler } from "express";
import { type ProblemError, problemKinds, toProblem } from "../../../http/problem.ts";
import { html } from "../layout/markup.ts";
import type { Page, PageContext, PageDeps, PageSection } from "./page.ts";
import { sectionDocument } from "./send-page.ts";
import { pageHeaders } from "./sign-in-page.ts";

/** Creates a handler for errors in page routes. It responds with an error page, or redirects to the sign-in page. */
export const errorPages =
  <User>(deps: Pick<PageDeps, "onFailedPage">, section: PageSection<User>): ErrorRequestHandler =>
  async (error: unknown, request, response, next) => {
    // Streams and scripts do not accept HTML.
    if (response.headersSent || !request.accepts("html")) return next(error);
    const problem = toProblem(error);
    if (problem.status >= 500) deps.onFailedPage(error, response);
    const isRead = request.method === "GET" || request.method === "HEAD";
    if (problem.code === "unauthenticated" && isRead) {
      const { originalUrl } = request;
      const query = originalUrl === section.home ? "" : `?next=${encodeURIComponent(originalUrl)}`;
      return response.redirect(303, section.signInPath + query);
    }
    const context = response.locals.context as PageContext<User> | undefined;
    const page = errorPage(problem, section, String(response.get("X-Request-Id")));
    // If reading the strip fails, omit it, because the page already shows an error.
    const strip = context && (await section.strip?.(context).catch(() => undefined));
    const document = await sectionDocument(section, page, context, { strip });
    response.status(problem.status).set(pageHeaders(problem)).type("html").send(String(document));
  };

function errorPage(
  { code, status, message }: ProblemError,
  { home, signInPath }: Pick<PageSection<unknown>, "home" | "signInPath">,
  requestId: string,
): Page {
  const { title } = problemKinds[code];
  const link =
    code === "unauthenticated"
      ? html`<a class="button" href="${signInPath}">Sign in</a>`
      : html`<a class="button quiet" href="${home}">Go to the home page</a>`;
  const main = html`
    <header class="page-head"><h1>${title}</h1></header>
    <p class="lead">${message}</p>
    <p>${link}</p>
    <p class="fine">Status ${status}, request <code>${requestId}</code></p>`;
  return { title, main };
}
