import type { NotificationReason } from "../../../push/push-transport.ts";
import { type MenuItem, menu } from "../../worker-app/menu.ts";
import { readOpenOffers } from "../../worker-app/shifts.ts";
import { html, type Markup } from "../layout/markup.ts";
import { newestFirst } from "../layout/pagination.ts";
import { slotsOf } from "../layout/slots.ts";
import type { AppContext, AppPage } from "../sections/app-section.ts";

const texts: Record<NotificationReason, string> = {
  offer: "New offer",
  successful: "You got the work",
  unsuccessful: "Others got the work",
  withdrawn: "Offer withdrawn",
};

const openLimit = 20;

/** `GET /app?before=…`: shows the notifications menu. */
export const menuPage: AppPage = async (context) => {
  const { rows, isNewest, links } = await newestFirst(context, menu, 50);
  const listed = await readOpenOffers(context.deps, context.user.id, openLimit);
  const open = isNewest ? listed : [];
  const isOpen = new Set(listed.map(({ id }) => id));
  // Show an open offer only once, on the first page.
  const others = rows.filter(({ reason, offerId }) => reason !== "offer" || !isOpen.has(offerId));
  const main = html`
      <header class="page-head"><h1>Notifications</h1></header>
      <div id="open" data-live="notification">${open.length > 0 && openSection(context, open)}</div>
      <div id="menu" data-live="notification">
        ${open.length > 0 && others.length > 0 && html`<h2>Earlier</h2>`}
        ${others.length > 0 && html`<ul class="menu">${others.map((item) => entry(context, item))}</ul>`}
        ${rows.length === 0 && open.length === 0 && (isNewest ? nothing : nothingOlder)}
        ${links}
      </div>`;
  return { title: "Notifications", main };
};

const nothing = html`<p class="empty">No notifications yet. New offers appear here automatically.</p>`;

const nothingOlder = html`<p class="empty">No older notifications.</p>`;

const entry = ({ times, deps }: AppContext, item: MenuItem): Markup => {
  const { reason, createdAt, offerId, offerTitle, organisationName, response } = item;
  return html`
  <li>
    <a class="entry ${reason}" href="/app/offers/${encodeURIComponent(offerId)}">
      <span class="what"><strong>${offerTitle}</strong> ${isNew(item) && html`<span class="badge new">new</span>`}</span>
      <span>${texts[reason]}${item.events.length > 0 && html`: ${slotsOf(times, item.events, deps.now())}`}</span>
      <span class="fine">${organisationName}${item.place && ` · ${item.place}`} · ${times.time(createdAt)}</span>
      ${reason === "offer" && responses[response]}
    </a>
  </li>`;
};

type OpenOffer = Awaited<ReturnType<typeof readOpenOffers>>[number];

/** Shows offers without a response, before all other notifications (D-118). */
const openSection = ({ times, deps }: AppContext, offers: readonly OpenOffer[]): Markup => html`
  <section aria-labelledby="open-title">
    <h2 id="open-title">Waiting for your response</h2>
    <ul class="menu">${offers.map(
      ({ id, title, events, place, organisationName, openedAt }) => html`
      <li>
        <a class="entry offer" href="/app/offers/${encodeURIComponent(id)}">
          <span class="what"><strong>${title}</strong> ${openedAt === null && html`<span class="badge new">new</span>`}</span>
          ${events.length > 0 && html`<span>${slotsOf(times, events, deps.now())}</span>`}
          <span class="fine">${organisationName}${place && ` · ${place}`}</span>
        </a>
      </li>`,
    )}</ul>
  </section>`;

const isNew = ({ reason, openedAt, response }: MenuItem): boolean =>
  reason === "offer" && openedAt === null && response === "none";

const responses: Record<string, Markup> = {
  applied: html`<span class="badge good">You applied</span>`,
  rejected: html`<span class="badge">You rejected</span>`,
};
