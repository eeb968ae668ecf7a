import { type DeliveryRow, deliveriesCursor, readDeliveries } from "../../portal/deliveries/deliveries.ts";
import { readDeliveryStats } from "../../portal/deliveries/delivery-stats.ts";
import { dataTable } from "../layout/data-table.ts";
import { hiddenParameters } from "../layout/filter.ts";
import { html, type Markup } from "../layout/markup.ts";
import { otherOrderLabels, readListPage } from "../layout/pagination.ts";
import type { PortalContext, PortalPage } from "../sections/portal-section.ts";
import { deliveryChart } from "./delivery-chart.ts";
import {
  deliveriesUrl,
  filterForm,
  isUnfiltered,
  type PageFilter,
  rangeBar,
  ranges,
  readFilter,
  redeliverUrl,
  stateBar,
  toListFilter,
  toParameters,
} from "./delivery-filter.ts";
import { attemptLabel, deliveryStateBadge, describeNextAttempt, eventLabel } from "./delivery-labels.ts";
import { redeliveriesSection } from "./redeliver-page.ts";

const limit = 50;

/** `GET /deliveries?state=…&type=…&status=…&error=…&q=…&from=…&until=…&sort=…&range=…&before=…` */
export const deliveriesPage: PortalPage = async (context) => {
  const { deps, user, request } = context;
  const filter = readFilter(request);
  const { label, ...period } = ranges[filter.range];
  const stats = await readDeliveryStats(deps, user.organisationId, period);
  const { rows, isNewest, links } = await readListPage(
    context,
    {
      cursor: deliveriesCursor,
      read: (deps, user, page) => readDeliveries(deps, user, { ...page, ...toListFilter(filter, context.times) }),
    },
    limit,
    (before) => deliveriesUrl(filter, before),
    filter.sort && otherOrderLabels,
  );
  const isEmpty = isUnfiltered(filter) && isNewest;
  const main = html`
      <header class="page-head"><h1>Deliveries</h1></header>
      ${await redeliveriesSection(context)}
      <section class="panel" id="measured" data-live="delivery" aria-labelledby="measured-title">
        <header>
          <h2 id="measured-title">Endpoint statistics</h2>
          ${rangeBar(filter)}
        </header>
        ${deliveryChart(context.times, stats, label)}
      </section>
      <section class="panel" id="deliveries" data-live="delivery" aria-labelledby="deliveries-title">
        <header>
          <h2 id="deliveries-title">Events</h2>
          ${stateBar(filter)}
        </header>
        ${(rows.length > 0 || !isEmpty) && filterForm(filter)}
        ${rows.length > 0 && selectionForm(context, filter, rows)}
        ${rows.length === 0 && (isEmpty ? noEvents : html`<p class="empty">No matching events.</p>`)}
        ${links}
      </section>`;
  return { title: "Deliveries", main };
};

/** Renders the rows in a form that redelivers the selected events, or all events that match the filter. */
const selectionForm = (context: PortalContext, filter: PageFilter, rows: readonly DeliveryRow[]): Markup => html`
        <form method="get" action="/deliveries/redeliver" class="stack" id="ticked">
          ${hiddenParameters(toParameters(filter))}
          ${deliveriesTable(context, rows)}
          <div class="row act-bar">
            ${rows.some(isRedeliverable) && html`<strong data-selected hidden></strong> <button class="small">Redeliver selected events…</button>`}
            <a class="button quiet small" href="${redeliverUrl(filter)}">Redeliver all ${isUnfiltered(filter) ? "events" : "that match"}…</a>
          </div>
        </form>`;

const isRedeliverable = ({ state }: DeliveryRow): boolean => state !== "pending" && state !== "held";

const eventCell = (row: DeliveryRow): Markup => html`
            <span class="tick">${isRedeliverable(row) && html`<input type="checkbox" name="id" id="tick-${row.id}" value="${row.id}" aria-label="Select ${eventLabel(row)}">`}
            <a href="/deliveries/${row.id}">${eventLabel(row)}</a></span>`;

const noEvents = html`
        <div class="empty">
          <h3>No events yet</h3>
          <p>When a worker responds to an offer or adds a contact, your endpoint receives a webhook. The event appears here.</p>
          <p><a href="/company">Enter your endpoint in the company profile</a></p>
        </div>`;

const deliveriesTable = ({ times, deps }: PortalContext, rows: readonly DeliveryRow[]): Markup =>
  dataTable({
    caption: "Events for your endpoint",
    isCompact: true,
    rowId: ({ id }) => `delivery-${id}`,
    columns: [
      { heading: "Event", cell: eventCell },
      { heading: "State", cell: deliveryStateBadge, phone: "below" },
      { heading: "Last attempt", cell: describeLastAttempt, phone: "below" },
      { heading: "Next attempt", cell: (row) => describeNextAttempt(times, row, deps.now()), phone: "none" },
      { heading: "Occurred", cell: ({ createdAt }) => times.time(createdAt, "seconds") },
    ],
    rows,
  });

function describeLastAttempt({ attempts, lastAttempt }: DeliveryRow): string {
  if (lastAttempt === null) return "–";
  const numberPrefix = attempts > 1 ? `No. ${attempts}: ` : "";
  return `${numberPrefix}${attemptLabel(lastAttempt)}, ${lastAttempt.milliseconds} ms`;
}
