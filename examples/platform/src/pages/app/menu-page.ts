import type { NotificationReason } from "../../push/push-transport.ts";
import { type MenuItem, menu } from "../../worker-app/menu.ts";
import { html, type Markup } from "../layout/markup.ts";
import { newestFirst } from "../layout/pagination.ts";
import { time } from "../layout/time.ts";
import type { AppPage } from "../sections/app-section.ts";

const texts: Record<NotificationReason, string> = {
  offer: "New offer",
  successful: "You got the work",
  unsuccessful: "The work went to others",
  withdrawn: "Offer withdrawn",
};

/** `GET /app?before=…`: the notifications menu. */
export const menuPage: AppPage = async (context) => {
  const { rows, isNewest, links } = await newestFirst(context, menu, 50);
  const main = html`
      <header class="page-head"><h1>Notifications</h1></header>
      <div id="menu" data-live="notification">
        ${rows.length > 0 ? html`<ul class="menu">${rows.map(entry)}</ul>` : isNewest ? nothing : nothingOlder}
        ${links}
      </div>`;
  return { title: "Notifications", main };
};

const nothing = html`<p class="empty">No notifications yet. New offers appear here automatically.</p>`;

const nothingOlder = html`<p class="empty">No older notifications.</p>`;

const entry = (item: MenuItem): Markup => {
  const { reason, createdAt, offerId, offerTitle, organisationName, response } = item;
  return html`
  <li>
    <a class="entry ${reason}" href="/app/offers/${encodeURIComponent(offerId)}">
      <span class="what">${texts[reason]}${isNew(item) && html` <span class="badge new">new</span>`}</span>
      <strong>${offerTitle}</strong>
      <span class="fine">${organisationName} · ${time(createdAt)}</span>
      ${reason === "offer" && responses[response]}
    </a>
  </li>`;
};

const isNew = ({ reason, openedAt, response }: MenuItem): boolean =>
  reason === "offer" && openedAt === null && response === "none";

const responses: Record<string, Markup> = {
  applied: html`<span class="badge good">You applied</span>`,
  rejected: html`<span class="badge">You rejected</span>`,
};
