import { instantField } from "../../../http/fields.ts";
import { deliveriesCursor, type ReadDelivery, readDeliveries } from "../../portal/deliveries/deliveries.ts";
import { readDeliveryStats } from "../../portal/deliveries/delivery-stats.ts";
import { redeliverRange } from "../../portal/deliveries/redeliver.ts";
import { dataTable } from "../layout/data-table.ts";
import { field, formTokenField } from "../layout/field.ts";
import { counted } from "../layout/labels.ts";
import { html, type Markup } from "../layout/markup.ts";
import { inOtherOrder, newestFirst } from "../layout/pagination.ts";
import type { Page } from "../routing/page.ts";
import type { PortalContext, PortalForm, PortalPage } from "../sections/portal-section.ts";
import { deliveryChart } from "./delivery-chart.ts";
import {
  addressOf,
  filterForm,
  filterOf,
  isUnfiltered,
  listFilterOf,
  rangeBar,
  ranges,
  stateBar,
} from "./delivery-filter.ts";
import { attemptLabel, deliveryState, eventLabel, nextAttempt } from "./delivery-labels.ts";

const limit = 50;

/** `GET /deliveries?state=…&type=…&status=…&error=…&q=…&from=…&until=…&sort=…&range=…&before=…` */
export const deliveriesPage: PortalPage = (context) => showDeliveries(context);

/** `POST /deliveries/redeliver`: redelivers all events since a time, for example after an outage of the receiver. */
export const redeliverManyForm: PortalForm = async (context, form) => {
  const { deps, user } = context;
  const typed = form.get("since") ?? "";
  const given = form.get("which") ?? "";
  // An unknown value is treated as the default.
  const which = Object.hasOwn(choices, given) ? (given as keyof typeof choices) : "dead";
  const { data: since } = instantField.safeParse(context.times.toUtc(typed));
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
      read: (deps, user, page) => readDeliveries(deps, user, { ...page, ...listFilterOf(filter, context.times) }),
    },
    limit,
    (before) => addressOf(filter, before),
    filter.sort && inOtherOrder,
  );
  const isEmpty = isUnfiltered(filter) && isNewest;
  const main = html`
      <header class="page-head"><h1>Deliveries</h1></header>
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
        ${rows.length > 0 ? deliveriesTable(context, rows) : isEmpty ? noEvents : html`<p class="empty">No matching events.</p>`}
        ${links}
      </section>
      ${redeliverManySection(context, rejected)}`;
  return { title: "Deliveries", main };
}

const noEvents = html`
        <div class="empty">
          <h3>No events yet</h3>
          <p>When a worker responds to an offer or adds a contact, your endpoint receives a webhook. Its event appears here.</p>
          <p><a href="/company">Enter the endpoint on the company profile</a></p>
        </div>`;

const deliveriesTable = ({ times, deps }: PortalContext, rows: readonly ReadDelivery[]): Markup =>
  dataTable({
    caption: "Events for your endpoint",
    isCompact: true,
    rowId: ({ id }) => `delivery-${id}`,
    columns: [
      { heading: "Event", cell: (row) => html`<a href="/deliveries/${row.id}">${eventLabel(row)}</a>` },
      { heading: "State", cell: deliveryState, phone: "below" },
      { heading: "Last attempt", cell: lastAttempt, phone: "below" },
      { heading: "Next attempt", cell: (row) => nextAttempt(times, row, deps.now()), phone: "none" },
      { heading: "Happened", cell: ({ createdAt }) => times.time(createdAt, "seconds") },
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
            name: "since",
            label: "Events that happened since",
            type: "datetime-local",
            hint: `In ${context.times.timeZone}.`,
            required: true,
            value: rejected?.since,
            errors: rejected && [context.times.problemOf(rejected.since) ?? "Enter a time of the years 0001 to 9999."],
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
