import { html } from "hono/html";
import type { NotificationReason } from "../../push/push-transport.ts";
import { menuCursor } from "../../worker-app/list-menu.ts";
import type { Markup } from "../layout/markup.ts";
import { pageLinks, positionFrom, withCursor } from "../layout/pagination.ts";
import { time } from "../layout/time.ts";
import type { PageDeps } from "../routing/page-deps.ts";
import type { PageResult } from "../routing/page-result.ts";
import type { AppContext } from "./app-section.ts";
import { type MenuItem, readMenu } from "./read-menu.ts";

const texts: Record<NotificationReason, string> = {
  offer: "New offer",
  successful: "You got the work",
  unsuccessful: "The work went to others",
  withdrawn: "Offer withdrawn",
};

const limit = 50;

/** `GET /app?before=…`: the notifications menu. */
export const menuPage =
  (deps: PageDeps) =>
  async ({ user, request }: AppContext): Promise<PageResult> => {
    const { after, before } = positionFrom(request, menuCursor);
    const { rows: items, next } = await readMenu(deps, user.id, { before, limit });
    const links = pageLinks({ after, next, addressOf: (key) => withCursor("/app", "before", key) });
    const main = html`
      <header class="page-head"><h1>Notifications</h1></header>
      <div id="menu" data-live="notification">
        ${items.length > 0 ? html`<ul class="menu">${items.map(entry)}</ul>` : after === undefined ? nothing : nothingOlder}
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

const isNew = ({ reason, isOpened, response }: MenuItem): boolean =>
  reason === "offer" && !isOpened && response === "none";

const responses: Record<string, Markup> = {
  applied: html`<span class="badge good">You applied</span>`,
  rejected: html`<span class="badge">You rejected</span>`,
};
