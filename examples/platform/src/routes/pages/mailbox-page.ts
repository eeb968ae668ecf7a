import { mailList } from "../portal/read-mails.ts";
import { html } from "./layout/markup.ts";
import { readListPage } from "./layout/pagination.ts";
import type { PortalPage } from "./sections/portal-section.ts";

/** `GET /mailbox?before=…` */
export const mailboxPage: PortalPage = async (context) => {
  const { rows, isNewest, links } = await readListPage(context, mailList, 100);
  const main = html`
      <header class="page-head"><h1>Mailbox</h1></header>
      <p class="lead">${context.deps.showAllMail ? "Shows all of this platform's email, because OFFERS_SHOW_ALL_MAIL is set." : "Emails from this platform to your addresses."}</p>
      <section class="stack" id="mails" data-live="mail" aria-label="Emails, newest first">
        ${rows.length === 0 && html`<div class="panel empty"><p>${isNewest ? "No emails yet." : "No older emails."}</p></div>`}
        ${rows.map(
          ({ id, to, subject, body, createdAt, hasFailed }) => html`
        <article class="panel mail" aria-labelledby="mail-${id}">
          <header>
            <h2 id="mail-${id}">${subject}</h2>
            <p class="fine">to ${to}, ${context.times.time(createdAt)}${hasFailed && ". Not sent, because the mail server did not accept it."}</p>
          </header>
          <p class="letter">${body}</p>
        </article>`,
        )}
        ${links}
      </section>`;
  return { title: "Mailbox", main };
};
