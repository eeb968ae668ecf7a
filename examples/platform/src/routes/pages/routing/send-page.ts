import type { Response } from "express";
import { htmlDocument } from "../layout/document.ts";
import { formTokenField } from "../layout/field.ts";
import { changedParts } from "../layout/live-parts.ts";
import { html, type Markup } from "../layout/markup.ts";
import { type PageSession, setNotice } from "../security/page-session.ts";
import type { Page, PageContext, PageResult, PageSection } from "./page.ts";

/** Sends a page in its section's layout, or a redirect. */
export async function sendPage<User>(
  section: PageSection<User>,
  response: Response,
  session: PageSession,
  context: PageContext<User> | undefined,
  result: PageResult,
): Promise<void> {
  if ("to" in result) {
    if (result.notice !== undefined) {
      setNotice(session, result.notice);
      await session.save();
    }
    response.redirect(303, result.to);
    return;
  }
  const { notice } = session;
  // Show a notice only once, and not in a live update.
  const wantedParts = response.req.get("x-part");
  const isFullPage = wantedParts === undefined;
  if (notice !== undefined && isFullPage) {
    delete session.notice;
    await session.save();
  }
  const { status = 200 } = result;
  // The title reports that the form failed, because screen readers read it first.
  const title = status >= 400 ? `Not done: ${result.title}` : result.title;
  const strip = context && (await section.strip?.(context));
  const document = await sectionDocument(section, { ...result, title }, context, {
    strip,
    notice: isFullPage ? notice : undefined,
  });
  const content = isFullPage ? String(document) : changedParts(String(document), wantedParts);
  response.status(status).type("html").send(content);
}

/**
 * Renders the document around a page.
 *
 * @param context undefined without a session
 * @param parts.notice confirms the outcome of the form that led to this page
 */
export async function sectionDocument<User>(
  section: PageSection<User>,
  { title, main }: Page,
  context: PageContext<User> | undefined,
  { strip, notice }: { strip: Markup | undefined; notice?: string | undefined },
): Promise<Markup> {
  const body = section.body({
    navigation: context && navigation(section, context),
    signedIn: context && signOutForm(section, context),
    strip,
    question: context && section.question?.(context),
    zoneLine: context && section.zoneLine(context),
    main: html`
<main id="main" tabindex="-1">
  ${notice && html`<p class="notice good" role="status" data-own>${notice}</p>`}
  ${main}
</main>`,
  });
  const count = (context && section.countNew?.(context)) ?? 0;
  return await htmlDocument({
    title: count > 0 ? `(${count}) ${title}` : title,
    bodyClass: section.bodyClass,
    manifest: section.manifest,
    live: context && section.streamUrl(context),
    body,
  });
}

const navigation = <User>(section: PageSection<User>, context: PageContext<User>): Markup =>
  html`<ul>${section.links.map(([link, name, pathPrefix], index) => {
    const { path } = context.request;
    const isCurrent = path === link || path.startsWith(pathPrefix);
    const count = index === 0 ? (section.countNew?.(context) ?? 0) : 0;
    return html`<li><a href="${link}"${isCurrent && html` aria-current="page"`}>${name}${count > 0 && html` <span class="count">${count}<span class="unseen"> new</span></span>`}</a></li>`;
  })}</ul>`;

const signOutForm = <User>(section: PageSection<User>, context: PageContext<User>): Markup => html`
  <form method="post" action="${section.signOutPath}" class="who">
    ${formTokenField(context)}
    <p><a href="${section.accountPath}">${section.userName(context.user)}</a></p>
    <button class="quiet small">Sign out</button>
  </form>`;
