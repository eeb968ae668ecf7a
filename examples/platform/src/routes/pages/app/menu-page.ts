import type { NotificationReason } from "../../../push/push-transport.ts";
import { type MenuItem, menu } from "../../worker-app/menu.ts";
import { readOpenOffers } from "../../worker-app/shifts.ts";
import { html, type Markup } from "../layout/markup.ts";
import { readListPage } from "../layout/pagination.ts";
import { slotSummary } from "../layout/slots.ts";
import type { AppContext, AppPage } from "../sections/app-section.ts";

const reasonLabels: Record<NotificationReason, string> = {
  offer: "New offer",
  successful: "You got the work",
  unsuccessful: "Others got the work",
  withdrawn: "Offer withdrawn",
};

const maxOpenOffers = 20;

/** `GET /app?before=…`: shows the worker's notifications, with open offers first. */
export const menuPage: AppPage = async (context) => {
  const { rows, isNewest, links } = await readListPage(context, menu, 50);
  const openOffers = await readOpenOffers(context.deps, context.user.id, maxOpenOffers);
  const shownOffers = isNewest ? openOffers : [];
  const openIds = new Set(openOffers.map(({ id }) => id));
  // Show an open offer only once, on the first page.
  const otherNotifications = rows.filter(({ reason, offerId }) => reason !== "offer" || !openIds.has(offerId));
  const main = html`
      <header class="page-head"><h1>Notifications</h1></header>
      <div id="open" data-live="notification">${shownOffers.length > 0 && openOffersSection(context, shownOffers)}</div>
      <div id="menu" data-live="notification">
        ${shownOffers.length > 0 && otherNotifications.length > 0 && html`<h2>Earlier</h2>`}
        ${otherNotifications.length > 0 && html`<ul class="menu">${otherNotifications.map((item) => notificationItem(context, item))}</ul>`}
        ${rows.length === 0 && shownOffers.length === 0 && (isNewest ? noNotifications : noOlderNotifications)}
        ${links}
      </div>`;
  return { title: "Notifications", main };
};

const noNotifications = html`<p class="empty">No notifications yet. New offers appear here automatically.</p>`;

const noOlderNotifications = html`<p class="empty">No older notifications.</p>`;

const notificationItem = ({ times, deps }: AppContext, item: MenuItem): Markup => {
  const { reason, createdAt, offerId, offerTitle, organisationName, response } = item;
  return html`
  <li>
    <a class="entry ${reason}" href="/app/offers/${encodeURIComponent(offerId)}">
      <span class="what"><strong>${offerTitle}</strong> ${isNew(item) && html`<span class="badge new">new</span>`}</span>
      <span>${reasonLabels[reason]}${item.events.length > 0 && html`: ${slotSummary(times, item.events, deps.now())}`}</span>
      <span class="fine">${organisationName}${item.place && ` · ${item.place}`} · ${times.time(createdAt)}</span>
      ${reason === "offer" && responseBadges[response]}
    </a>
  </li>`;
};

type OpenOffer = Awaited<ReturnType<typeof readOpenOffers>>[number];

/** Renders the offers that await the worker's response, which the page shows before all other notifications (D-118). */
const openOffersSection = ({ times, deps }: AppContext, offers: readonly OpenOffer[]): Markup => html`
  <section aria-labelledby="open-title">
    <h2 id="open-title">Waiting for your response</h2>
    <ul class="menu">${offers.map(
      ({ id, title, events, place, organisationName, openedAt }) => html`
      <li>
        <a class="entry offer" href="/app/offers/${encodeURIComponent(id)}">
          <span class="what"><strong>${title}</strong> ${openedAt === null && html`<span class="badge new">new</span>`}</span>
          ${events.length > 0 && html`<span>${slotSummary(times, events, deps.now())}</span>`}
          <span class="fine">${organisationName}${place && ` · ${place}`}</span>
        </a>
      </li>`,
    )}</ul>
  </section>`;

const isNew = ({ reason, openedAt, response }: MenuItem): boolean =>
  reason === "offer" && openedAt === null && response === "none";

const responseBadges: Record<string, Markup> = {
  applied: html`<span class="badge good">You applied</span>`,
  rejected: html`<span class="badge">You rejected</span>`,
};
