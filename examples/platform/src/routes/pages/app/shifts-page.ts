import { compareDateTimes } from "@offers/contract/date-time";
import { shifts, type WorkerShift } from "../../worker-app/shifts.ts";
import { html, type Markup } from "../layout/markup.ts";
import { otherOrderLabels, readListPage } from "../layout/pagination.ts";
import type { AppContext, AppPage } from "../sections/app-section.ts";

/** `GET /app/shifts?before=…`: lists the worker's confirmed shifts, earliest first. */
export const shiftsPage: AppPage = async (context) => {
  const { rows, links } = await readListPage(context, shifts, 50, undefined, otherOrderLabels);
  const main = html`
      <header class="page-head"><h1>Shifts</h1></header>
      <div id="shifts" data-live="notification">
        ${rows.length === 0 ? html`<p class="empty">No upcoming shifts.</p>` : html`<ul class="menu">${rows.map((shift) => shiftCard(context, shift))}</ul>`}
        ${links}
      </div>`;
  return { title: "Shifts", main };
};

const shiftCard = (
  { times, deps }: AppContext,
  { id, title, events, place, organisationName }: WorkerShift,
): Markup => html`
  <li>
    <a class="entry successful" href="/app/offers/${encodeURIComponent(id)}">
      <strong>${title}</strong>
      ${events
        .filter(({ end }) => compareDateTimes(end, deps.now().toISOString()) > 0)
        .map(({ start, end }) => html`<span>${times.timeSpan(start, end)}</span>`)}
      <span class="fine">${organisationName}${place && ` · ${place}`}</span>
    </a>
  </li>`;
