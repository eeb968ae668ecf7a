import type { Request } from "express";
import { parseDay } from "../../../time-zones/local-time.ts";
import {
  type FoundOffer,
  findOffers,
  type OfferFilter,
  offerOrders,
  offerStates,
  offersCursor,
  offerTimes,
  resolveOfferOrder,
} from "../../portal/offers/find-offers.ts";
import { type Column, dataTable } from "../layout/data-table.ts";
import { filterInput, filterSelect, hiddenParameters, linkBar, parseOption, withQuery } from "../layout/filter.ts";
import { badge } from "../layout/labels.ts";
import { html, type Markup } from "../layout/markup.ts";
import { otherOrderLabels, readListPage, readParameter, readSearchText } from "../layout/pagination.ts";
import { slotSummary } from "../layout/slots.ts";
import type { PortalContext, PortalPage } from "../sections/portal-section.ts";

const limit = 50;
/** The maximum number of offers that the page shows above the list if they need a decision. A link opens all of them. */
const maxDecisions = 5;

const stateNames = {
  decision: "Needs your decision",
  open: "Open",
  past: "Open, but in the past",
  complete: "Complete",
  withdrawn: "Withdrawn",
} as const;
const timeNames = { upcoming: "Upcoming work", past: "Past work" } as const;
const orderNames = {
  newest: "Newest offer first",
  oldest: "Oldest offer first",
  nextWork: "Next work first",
  lastWork: "Last work first",
} as const;

/** `GET /offers?state=…&time=…&q=…&from=…&until=…&sort=…&before=…` */
export const offersPage: PortalPage = async (context) => {
  const { deps, user, request } = context;
  const query = readQuery(request);
  const filter = toFilter(context, query);
  const order = resolveOfferOrder(filter);
  const toPageUrl = (before: string | undefined) => offersUrl(query, before);
  const labels = order === "newest" ? undefined : otherOrderLabels;
  const { rows, isNewest, links } = await readListPage(
    context,
    { cursor: offersCursor(filter), read: (listDeps, reader, page) => findOffers(listDeps, reader, filter, page) },
    limit,
    toPageUrl,
    labels,
  );
  const isUnfiltered = Object.values(query).every((value) => value === undefined);
  const offersToDecide =
    isUnfiltered && isNewest ? await findOffers(deps, user, { state: "decision" }, { limit: maxDecisions }) : undefined;
  const main = html`
      <header class="page-head">
        <h1>Offers</h1>
        <a class="button" href="/offers/new">Create an offer</a>
      </header>
      ${offersToDecide && offersToDecide.rows.length > 0 && decisionsSection(context, offersToDecide)}
      <section class="panel" id="offers" data-live="offer" aria-label="Offers">
        ${(!isUnfiltered || rows.length > 0) && filterControls(query, order)}
        ${rows.length > 0 && offersTable(context, rows)}
        ${rows.length === 0 && isUnfiltered && (isNewest ? noOffers : html`<p class="empty">No older offers.</p>`)}
        ${rows.length === 0 && !isUnfiltered && html`<p class="empty">No matching offers.</p>`}
        ${links}
      </section>`;
  return { title: query.state === undefined ? "Offers" : `Offers: ${stateNames[query.state]}`, main };
};

/** The page's query parameters, with the dates as entered. */
interface OfferQuery extends Pick<OfferFilter, "state" | "time" | "text" | "order"> {
  from: string | undefined;
  until: string | undefined;
}

function readDate(request: Request, name: string): string | undefined {
  const text = readParameter(request, name);
  return text !== undefined && parseDay(text, "UTC") ? text : undefined;
}

const readQuery = (request: Request): OfferQuery => ({
  state: parseOption(offerStates, readParameter(request, "state")),
  time: parseOption(offerTimes, readParameter(request, "time")),
  text: readSearchText(request, "q"),
  from: readDate(request, "from"),
  until: readDate(request, "until"),
  order: parseOption(offerOrders, readParameter(request, "sort")),
});

const toFilter = ({ times: { timeZone } }: PortalContext, { from, until, ...query }: OfferQuery): OfferFilter => ({
  ...query,
  from: parseDay(from ?? "", timeZone)?.start,
  until: parseDay(until ?? "", timeZone)?.end,
});

const offersUrl = ({ text, order, ...query }: Partial<OfferQuery>, before?: string): string =>
  withQuery("/offers", { ...query, q: text, sort: order, before });

const filterControls = (query: OfferQuery, order: keyof typeof orderNames): Markup => html`
        <div class="bars-row">
          ${linkBar("State", [undefined, ...offerStates], query.state, (state) => [state === undefined ? "All" : stateNames[state], offersUrl({ ...query, state })])}
          ${linkBar("Time", [undefined, ...offerTimes], query.time, (time) => [time === undefined ? "Any time" : timeNames[time], offersUrl({ ...query, time })])}
        </div>
        <form method="get" action="/offers" role="search" class="row filters">
          ${hiddenParameters({ state: query.state, time: query.time })}
          ${filterInput({ name: "q", label: "Title, worker or id", type: "search", value: query.text })}
          ${filterInput({ name: "from", label: "Work from", type: "date", value: query.from })}
          ${filterInput({ name: "until", label: "Work until", type: "date", value: query.until })}
          ${filterSelect({ name: "sort", label: "Sort", options: orderNames, current: order })}
          <button class="quiet at-end">Search</button>
          ${(query.text ?? query.from ?? query.until ?? query.order) && html`<a class="at-end" href="${offersUrl({ state: query.state, time: query.time })}">Clear</a>`}
        </form>`;

const decisionsSection = (
  context: PortalContext,
  { rows, next }: Awaited<ReturnType<typeof findOffers>>,
): Markup => html`
      <section class="panel" id="decisions" data-live="offer" aria-labelledby="decisions-title">
        <h2 id="decisions-title">Needs your decision</h2>
        ${dataTable<FoundOffer>({
          caption: "Offers that need your decision, next work first",
          rowId: ({ id }) => `decision-${id}`,
          isCompact: true,
          columns: offerColumns(context),
          rows,
        })}
        ${next && html`<p class="row"><a class="button quiet small" href="${offersUrl({ state: "decision" })}">All offers that need your decision</a></p>`}
      </section>`;

const noOffers = html`
  <div class="empty">
    <h2>No offers yet</h2>
    <p>Offers are sent to the phones of the workers you select. Their responses appear here.</p>
    <p><a class="button" href="/offers/new">Create the first one</a></p>
  </div>`;

const offersTable = (context: PortalContext, rows: readonly FoundOffer[]): Markup =>
  dataTable<FoundOffer>({
    caption: "Offers",
    rowId: ({ id }) => `row-${id}`,
    isCompact: true,
    columns: [
      ...offerColumns(context),
      { heading: "Created", cell: ({ createdAt }) => context.times.day(createdAt), phone: "none" },
    ],
    rows,
  });

const offerColumns = ({ times, user, deps }: PortalContext): Column<FoundOffer>[] => [
  {
    heading: "Offer",
    cell: ({ id, title }: FoundOffer) => html`<a href="/offers/${encodeURIComponent(id)}">${title}</a>`,
  },
  { heading: "When", cell: ({ events }: FoundOffer) => slotSummary(times, events, deps.now()), phone: "line" },
  ...(user.organisations.length > 1
    ? [{ heading: "Organisation", cell: ({ organisationName }: FoundOffer) => organisationName }]
    : []),
  { heading: "State", cell: offerStateBadge },
  { heading: "Applied", cell: ({ responses }: FoundOffer) => responses.applied },
  { heading: "Rejected", cell: ({ responses }: FoundOffer) => responses.rejected, phone: "none" },
  { heading: "No response", cell: ({ responses }: FoundOffer) => responses.none, phone: "none" },
];

/** Renders an offer's state as a badge. `widthdrawn` is the contract's spelling. */
export function offerStateBadge(
  offer: Pick<FoundOffer, "complete" | "widthdrawn" | "isHistoric" | "responses">,
): Markup {
  if (offer.widthdrawn) return badge("Withdrawn", "bad");
  if (offer.complete) return badge("Complete", "good");
  if (offer.isHistoric) return badge("Open, but in the past", "warn");
  return offer.responses.applied > 0 ? badge("Needs your decision", "warn") : badge("Open", "none");
}
