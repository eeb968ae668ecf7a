import type { Request } from "express";
import { html } from "hono/html";
import { readDeliveryStats } from "../../portal/deliveries/delivery-stats.ts";
import { deliveriesCursor, type ReadDelivery, readDeliveries } from "../../portal/deliveries/read-deliveries.ts";
import type { DeliveryState } from "../../store/tables.ts";
import { dataTable } from "../layout/data-table.ts";
import type { Markup } from "../layout/markup.ts";
import { cursorFrom, pageLinks, positionFrom } from "../layout/pagination.ts";
import { time } from "../layout/time.ts";
import type { PortalContext } from "../portal/portal-section.ts";
import type { PageDeps } from "../routing/page-deps.ts";
import type { Page } from "../routing/page-result.ts";
import { attemptLabel } from "./attempt-labels.ts";
import { deliveryChart } from "./delivery-chart.ts";
import { deliveryState, stateLabels } from "./delivery-state.ts";
import { eventLabel } from "./event-labels.ts";
import { type RejectedRedelivery, redeliverManySection } from "./redeliver-many-section.ts";

const limit = 50;

const ranges = {
  hour: { label: "the last hour", lastMs: 3_600_000, count: 30 },
  day: { label: "the last 24 hours", lastMs: 24 * 3_600_000, count: 24 },
  week: { label: "the last 7 days", lastMs: 7 * 24 * 3_600_000, count: 28 },
} as const;

interface Filter {
  state: DeliveryState | undefined;
  range: keyof typeof ranges;
  /** Cursor of this page. */
  after: string | undefined;
}

/** `GET /deliveries?state=…&range=…&before=…` */
export const deliveriesPage =
  (deps: PageDeps) =>
  (context: PortalContext): Promise<Page> =>
    showDeliveries(deps, context);

/** @param rejected the redelivery form when it had an error */
export async function showDeliveries(
  deps: PageDeps,
  { user, request, formToken }: PortalContext,
  rejected?: RejectedRedelivery,
): Promise<Page> {
  const filter = filterOf(request);
  const { label, ...window } = ranges[filter.range];
  const stats = await readDeliveryStats(deps, user.organisationId, window);
  const { before } = positionFrom(request, deliveriesCursor);
  const { state, after } = filter;
  const { rows: shown, next } = await readDeliveries(deps, user.organisationId, { state, before, limit });
  const links = pageLinks({ after, next, addressOf: (key) => addressOf({ ...filter, after: key }) });
  const main = html`
      <header class="page-head"><h1>Deliveries</h1></header>
      <section class="panel" id="measured" data-live="delivery" aria-labelledby="measured-title">
        <header>
          <h2 id="measured-title">Endpoint statistics</h2>
          ${rangeBar(filter)}
        </header>
        ${deliveryChart({ stats, during: label })}
      </section>
      <section class="panel" id="deliveries" data-live="delivery" aria-labelledby="deliveries-title">
        <header>
          <h2 id="deliveries-title">Events</h2>
          ${stateBar(filter)}
        </header>
        ${shown.length === 0 ? nothing(filter) : deliveriesTable(shown)}
        ${links}
      </section>
      ${redeliverManySection(formToken, rejected)}`;
  return { title: "Deliveries", main };
}

function filterOf(request: Request): Filter {
  const state = cursorFrom(request, "state") ?? "";
  const range = cursorFrom(request, "range") ?? "";
  return {
    state: Object.hasOwn(stateLabels, state) ? (state as DeliveryState) : undefined,
    range: Object.hasOwn(ranges, range) ? (range as Filter["range"]) : "hour",
    after: positionFrom(request, deliveriesCursor).after,
  };
}

function addressOf({ state, range, after }: Filter): string {
  const query = new URLSearchParams();
  if (state !== undefined) query.set("state", state);
  if (range !== "hour") query.set("range", range);
  if (after !== undefined) query.set("before", after);
  return query.size === 0 ? "/deliveries" : `/deliveries?${query}`;
}

const stateBar = (filter: Filter): Markup => html`
          <nav aria-label="State"><ul class="bar">
            ${[undefined, ...(Object.keys(stateLabels) as DeliveryState[])].map((state) => choice({ ...filter, state, after: undefined }, state === undefined ? "All" : stateLabels[state], state === filter.state))}
          </ul></nav>`;

const rangeBar = (filter: Filter): Markup => html`
          <nav aria-label="Time"><ul class="bar">
            ${(Object.keys(ranges) as Filter["range"][]).map((range) => choice({ ...filter, range }, ranges[range].label.replace("the l", "L"), range === filter.range))}
          </ul></nav>`;

const choice = (filter: Filter, words: string, isHere: boolean): Markup =>
  html`<li><a href="${addressOf(filter)}"${isHere && html` aria-current="true"`}>${words}</a></li>`;

const nothing = ({ state, after }: Filter): Markup =>
  state === undefined && after === undefined
    ? html`
        <div class="empty">
          <h3>No events yet</h3>
          <p>When a worker responds to an offer or adds a contact, your endpoint receives a webhook. Its event appears here.</p>
          <p><a href="/company">Enter the endpoint on the company profile</a></p>
        </div>`
    : html`<p class="empty">No matching events.</p>`;

const deliveriesTable = (rows: readonly ReadDelivery[]): Markup =>
  dataTable({
    caption: "Events for your endpoint, newest first",
    rowId: ({ id }) => `delivery-${id}`,
    columns: [
      { heading: "Event", cell: (row) => html`<a href="/deliveries/${row.id}">${eventLabel(row)}</a>` },
      { heading: "State", cell: deliveryState },
      { heading: "Last attempt", cell: lastAttempt },
      { heading: "Next attempt", cell: nextAttempt },
      { heading: "Happened", cell: ({ created_at }) => time(created_at, "seconds") },
    ],
    rows,
  });

function lastAttempt({ attempts, lastAttempt: last }: ReadDelivery): string {
  if (last === null) return "–";
  return `${attempts > 1 ? `No. ${attempts}: ` : ""}${attemptLabel(last)}, ${last.milliseconds} ms`;
}

/** The next attempt of a pending delivery; not before the circuit breaker of its endpoint closes. */
export function nextAttempt({ state, attempts, due_at: dueAt, pausedUntil }: ReadDelivery): Markup | string {
  if (state !== "pending") return "–";
  if (pausedUntil !== null) return html`after the pause, ${time(pausedUntil, "seconds")}`;
  if (dueAt === null) return "after the earlier response";
  return attempts === 0 ? "now" : time(dueAt, "seconds");
}
