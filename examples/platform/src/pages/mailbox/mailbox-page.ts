import { html } from "hono/html";
import { mailsCursor, readMails } from "../../portal/mailbox/read-mails.ts";
import { pageLinks, positionFrom, withCursor } from "../layout/pagination.ts";
import { time } from "../layout/time.ts";
import type { PortalContext } from "../portal/portal-section.ts";
import type { PageDeps } from "../routing/page-deps.ts";
import type { Page } from "../routing/page-result.ts";

const limit = 100;

/** `GET /mailbox?before=…` */
export const mailboxPage =
  (deps: PageDeps) =>
  async ({ user, request }: PortalContext): Promise<Page> => {
    const { after, before } = positionFrom(request, mailsCursor);
    const { rows: shown, next } = await readMails(deps, user, { before, limit });
    const links = pageLinks({ after, next, addressOf: (key) => withCursor("/mailbox", "before", key) });
    const main = html`
      <header class="page-head"><h1>Mailbox</h1></header>
      <p class="lead">${deps.showAllMail ? "All mail of this platform, because OFFERS_SHOW_ALL_MAIL is set." : "Mail from this platform to your addresses."}</p>
      <section class="stack" id="mails" data-live="mail" aria-label="Mails, newest first">
        ${shown.length === 0 && html`<div class="panel empty"><p>${after === undefined ? "No mail yet." : "No older mail."}</p></div>`}
        ${shown.map(
          ({ id, to, subject, body, sentAt }) => html`
        <article class="panel mail" aria-labelledby="mail-${id}">
          <header>
            <h2 id="mail-${id}">${subject}</h2>
            <p class="fine">to ${to}, ${time(sentAt)}</p>
          </header>
          <p class="letter">${body}</p>
        </article>`,
        )}
        ${links}
      </section>`;
    return { title: "Mailbox", main };
  };
