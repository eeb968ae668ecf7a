import type { Request } from "express";
import type { ShownState } from "../../delivery/shown-state.ts";
import { deliveriesCursor, type ReadDelivery, readDeliveries } from "../../portal/deliveries.ts";
import { readDeliveryStats } from "../../portal/delivery-stats.ts";
import { redeliverRange } from "../../portal/redeliver.ts";
import { instantField } from "../../validation/instant-field.ts";
import { dataTable } from "../layout/data-table.ts";
import { field, formTokenField } from "../layout/field.ts";
import { counted } from "../layout/labels.ts";
import { html, type Markup } from "../layout/markup.ts";
import { newestFirst, parameterOf } from "../layout/pagination.ts";
import { localInUtc, time } from "../layout/time.ts";
import type { Page } from "../routing/page.ts";
import type { PortalContext, PortalForm, PortalPage } from "../sections/portal-section.ts";
import { deliveryChart } from "./delivery-chart.ts";
import { attemptLabel, deliveryState, eventLabel, nextAttempt, stateLabels } from "./delivery-labels.ts";

const limit = 50;

const ranges = {
  hour: { label: "the last hour", lastMs: 3_600_000, count: 30 },
  day: { label: "the last 24 hours", lastMs: 24 * 3_600_000, count: 24 },
  week: { label: "the last 7 days", lastMs: 7 * 24 * 3_600_000, count: 28 },
} as const;

interface Filter {
  state: ShownState | undefined;
  range: keyof typeof ranges;
}

/** `GET /deliveries?state=…&range=…&before=…` */
export const deliveriesPage: PortalPage = (context) => showDeliveries(context);

/** `POST /deliveries/redeliver`: redelivers all events since a time, for example after an outage of the receiver. */
export const redeliverManyForm: PortalForm = async (context, form) => {
  const { deps, user } = context;
  const typed = form.get("since") ?? "";
  const given = form.get("which") ?? "";
  // An unknown value is treated as the default.
  const which = Object.hasOwn(choices, given) ? (given as keyof typeof choices) : "dead";
  const { data: since } = instantField.safeParse(localInUtc(typed));
  if (since === undefined) return { ...(await showDeliveries(context, { since: typed, which })), status: 422 };
  const { redelivered, superseded } = await redeliverRange(deps, user, { since, state: which });
  const left = superseded === 0 ? "" : ` Skipped, because a later response superseded them: ${superseded}.`;
  return { to: "/deliveries", notice: `Redelivered: ${counted(redelivered, "event")}.${left}` };
};

/** Which events to redeliver. */
const choices = { dead: "Failed", acknowledged: "Acknowledged", all: "Both" } as const;

/** The submitted redelivery form when its time was invalid. */
interface RejectedRedelivery {
  since: string;
  which: keyof typeof choices;
}

async function showDeliveries(context: PortalContext, rejected?: RejectedRedelivery): Promise<Page> {
  const { deps, user, request } = context;
  const filter = filterOf(request);
  const { label, ...window } = ranges[filter.range];
  const stats = await readDeliveryStats(deps, user.organisationId, window);
  const { rows, isNewest, links } = await newestFirst(
    context,
    {
      cursor: deliveriesCursor,
      read: (deps, user, page) => readDeliveries(deps, user, { ...page, state: filter.state }),
    },
    limit,
    (before) => addressOf(filter, before),
  );
  const isUnfiltered = filter.state === undefined && isNewest;
  const main = html`
      <header class="page-head"><h1>Deliveries</h1></header>
      <section class="panel" id="measured" data-live="delivery" aria-labelledby="measured-title">
        <header>
          <h2 id="measured-title">Endpoint statistics</h2>
          ${rangeBar(filter)}
        </header>
        ${deliveryChart(stats, label)}
      </section>
      <section class="panel" id="deliveries" data-live="delivery" aria-labelledby="deliveries-title">
        <header>
          <h2 id="deliveries-title">Events</h2>
          ${stateBar(filter)}
        </header>
        ${rows.length > 0 ? deliveriesTable(rows) : isUnfiltered ? noEvents : html`<p class="empty">No matching events.</p>`}
        ${links}
      </section>
      ${redeliverManySection(context, rejected)}`;
  return { title: "Deliveries", main };
}

function filterOf(request: Request): Filter {
  const state = parameterOf(request, "state") ?? "";
  const range = parameterOf(request, "range") ?? "";
  return {
    state: Object.hasOwn(stateLabels, state) ? (state as ShownState) : undefined,
    range: Object.hasOwn(ranges, range) ? (range as Filter["range"]) : "hour",
  };
}

function addressOf({ state, range }: Filter, before?: string): string {
  const query = new URLSearchParams();
  if (state !== undefined) query.set("state", state);
  if (range !== "hour") query.set("range", range);
  if (before !== undefined) query.set("before", before);
  return query.size === 0 ? "/deliveries" : `/deliveries?${query}`;
}

const stateBar = (filter: Filter): Markup => html`
          <nav aria-label="State"><ul class="bar">
            ${[undefined, ...(Object.keys(stateLabels) as ShownState[])].map((state) => barItem({ ...filter, state }, state === undefined ? "All" : stateLabels[state], state === filter.state))}
          </ul></nav>`;

const rangeBar = (filter: Filter): Markup => html`
          <nav aria-label="Time"><ul class="bar">
            ${(Object.keys(ranges) as Filter["range"][]).map((range) => barItem({ ...filter, range }, ranges[range].label.replace("the l", "L"), range === filter.range))}
          </ul></nav>`;

const barItem = (filter: Filter, words: string, isHere: boolean): Markup =>
  html`<li><a href="${addressOf(filter)}"${isHere && html` aria-current="true"`}>${words}</a></li>`;

const noEvents = html`
        <div class="empty">
          <h3>No events yet</h3>
          <p>When a worker responds to an offer or adds a contact, your endpoint receives a webhook. Its event appears here.</p>
          <p><a href="/company">Enter the endpoint on the company profile</a></p>
        </div>`;

const deliveriesTable = (rows: readonly ReadDelivery[]): Markup =>
  dataTable({
    caption: "Events for your endpoint, newest first",
    rowId: ({ id }) => `delivery-${id}`,
    columns: [
      { heading: "Event", cell: (row) => html`<a href="/deliveries/${row.id}">${eventLabel(row)}</a>` },
      { heading: "State", cell: deliveryState },
      { heading: "Last attempt", cell: lastAttempt },
      { heading: "Next attempt", cell: nextAttempt },
      { heading: "Happened", cell: ({ createdAt }) => time(createdAt, "seconds") },
    ],
    rows,
  });

function lastAttempt({ attempts, lastAttempt: last }: ReadDelivery): string {
  if (last === null) return "–";
  return `${attempts > 1 ? `No. ${attempts}: ` : ""}${attemptLabel(last)}, ${last.milliseconds} ms`;
}

const redeliverManySection = (context: PortalContext, rejected: RejectedRedelivery | undefined): Markup => html`
      <details class="code" id="redeliver-many"${rejected && html` open`}>
        <summary>Redeliver many</summary>
        <form method="post" action="/deliveries/redeliver" class="stack narrow">
          ${formTokenField(context)}
          ${field({
            ...{ name: "since", label: "Events that happened since", type: "datetime-local", hint: "In UTC." },
            ...{ required: true, value: rejected?.since },
            errors: rejected && ["Enter a time, such as 2099-05-01T16:00."],
          })}
          <fieldset>
            <legend>Which of them</legend>
            ${Object.entries(choices).map(([name, label]) => {
              const isChosen = name === (rejected?.which ?? "dead");
              return html`<label class="choice"><input type="radio" name="which" value="${name}"${isChosen && html` checked`}> ${label}</label>`;
            })}
          </fieldset>
          <button>Redeliver</button>
        </form>
      </details>`;
