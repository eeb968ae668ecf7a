import { html } from "hono/html";
import type { NotificationReason } from "../../push/push-transport.ts";
import type { Markup } from "../frame/markup.ts";
import type { PageAnswer } from "../frame/page-answer.ts";
import { time } from "../frame/time.ts";
import type { PageDeps } from "../page-deps.ts";
import type { AppVisit } from "./app-audience.ts";
import { type MenuItem, readMenu } from "./read-menu.ts";

const texts: Record<NotificationReason, string> = {
  offer: "New offer",
  successful: "You got the work",
  unsuccessful: "The work went to others",
  withdrawn: "Offer withdrawn",
};

/** `GET /app`: the notifications menu. */
export const menuPage =
  (deps: PageDeps) =>
  async ({ who }: AppVisit): Promise<PageAnswer> => {
    const items = await readMenu(deps, who.id);
    const main = html`
      <header class="page-head"><h1>Notifications</h1></header>
      <div id="menu" data-live="notification">
        ${items.length > 0 ? html`<ul class="menu">${items.map(entry)}</ul>` : nothing}
      </div>`;
    return { title: "Notifications", main };
  };

const nothing = html`<p class="empty">Nothing yet. Offers of work to you appear here by themselves.</p>`;

const entry = (item: MenuItem): Markup => {
  const { reason, createdAt, offerId, offerTitle, organisationName, response } = item;
  return html`
  <li>
    <a class="entry ${reason}" href="/app/offers/${encodeURIComponent(offerId)}">
      <span class="what">${texts[reason]}${isNew(item) && html` <span class="badge new">new</span>`}</span>
      <strong>${offerTitle}</strong>
      <span class="fine">${organisationName} · ${time(createdAt)}</span>
      ${reason === "offer" && answered[response]}
    </a>
  </li>`;
};

const isNew = ({ reason, isOpened, response }: MenuItem): boolean =>
  reason === "offer" && !isOpened && response === "none";

const answered: Record<string, Markup> = {
  applied: html`<span class="badge good">You applied</span>`,
  rejected: html`<span class="badge">You rejected</span>`,
};
