import type { Request } from "express";
import {
  type FoundOffer,
  findOffers,
  type OfferFilter,
  offerStates,
  offersCursor,
  offerTimes,
} from "../../portal/offers/find-offers.ts";
import { dataTable } from "../layout/data-table.ts";
import { linkBar, oneOf, withQuery } from "../layout/filter.ts";
import { badge } from "../layout/labels.ts";
import { html, type Markup } from "../layout/markup.ts";
import { newestFirst, parameterOf } from "../layout/pagination.ts";
import { slotsOf } from "../layout/slots.ts";
import type { PortalContext, PortalPage } from "../sections/portal-section.ts";

const limit = 50;
/** Shown above the list; a link leads to the others. */
const decisionsLimit = 5;

const stateNames = {
  decision: "Needs your decision",
  open: "Open",
  past: "Open, but past",
  complete: "Complete",
  withdrawn: "Withdrawn",
} as const;
const timeNames = { upcoming: "Upcoming work", past: "Past work" } as const;

/** `GET /offers?state=…&time=…&q=…&before=…` */
export const offersPage: PortalPage = async (context) => {
  const { deps, user, request } = context;
  const filter = filterOf(request);
  const cursor = offersCursor(filter);
  const list = {
    cursor,
    read: (_: unknown, __: unknown, page: Parameters<typeof findOffers>[3]) => findOffers(deps, user, filter, page),
  };
  const { rows, isNewest, links } = await newestFirst(context, list, limit, (before) => addressOf(filter, before));
  const isUnfiltered = Object.values(filter).every((value) => value === undefined);
  const waiting =
    isUnfiltered && isNewest
      ? await findOffers(deps, user, { state: "decision" }, { limit: decisionsLimit })
      : undefined;
  const main = html`
      <header class="page-head">
        <h1>Offers</h1>
        <a class="button" href="/offers/new">Create an offer</a>
      </header>
      ${waiting && waiting.rows.length > 0 && decisionsSection(context, waiting)}
      <section class="panel" id="offers" data-live="offer" aria-label="Offers">
        ${(!isUnfiltered || rows.length > 0) && filterBars(filter)}
        ${rows.length > 0 ? offersTable(context, rows) : isUnfiltered && isNewest ? noOffers : html`<p class="empty">${isUnfiltered ? "No older offers." : "No matching offers."}</p>`}
        ${links}
      </section>`;
  return { title: filter.state === undefined ? "Offers" : `Offers: ${stateNames[filter.state]}`, main };
};

const filterOf = (request: Request): OfferFilter => ({
  state: oneOf(offerStates, parameterOf(request, "state")),
  time: oneOf(offerTimes, parameterOf(request, "time")),
  text: parameterOf(request, "q")?.trim().slice(0, 200) || undefined,
});

const addressOf = ({ state, time, text }: OfferFilter, before?: string): string =>
  withQuery("/offers", { state, time, q: text, before });

const filterBars = (filter: OfferFilter): Markup => html`
        <form method="get" action="/offers" role="search" class="row find">
          ${filter.state && html`<input type="hidden" name="state" value="${filter.state}">`}
          ${filter.time && html`<input type="hidden" name="time" value="${filter.time}">`}
          <label for="q">Title or worker</label>
          <input type="search" id="q" name="q" value="${filter.text ?? ""}" maxlength="200">
          <button class="quiet">Search</button>
        </form>
        <div class="bars-row">
          ${linkBar("State", [undefined, ...offerStates], filter.state, (state) => [state === undefined ? "All" : stateNames[state], addressOf({ ...filter, state })])}
          ${linkBar("Time", [undefined, ...offerTimes], filter.time, (time) => [time === undefined ? "Any time" : timeNames[time], addressOf({ ...filter, time })])}
        </div>`;

const decisionsSection = (
  context: PortalContext,
  { rows, next }: Awaited<ReturnType<typeof findOffers>>,
): Markup => html`
      <section class="panel" id="decisions" data-live="offer" aria-labelledby="decisions-title">
        <h2 id="decisions-title">Needs your decision</h2>
        ${dataTable<FoundOffer>({
          caption: "Offers that need your decision, the next work first",
          rowId: ({ id }) => `decision-${id}`,
          columns: columnsOf(context),
          rows,
        })}
        ${next && html`<p class="row"><a class="button quiet small" href="${addressOf({ state: "decision" })}">All that need your decision</a></p>`}
      </section>`;

const noOffers = html`
  <div class="empty">
    <h2>No offers yet</h2>
    <p>An offer of work goes to the phones of the workers you pick; their responses appear here.</p>
    <p><a class="button" href="/offers/new">Create the first one</a></p>
  </div>`;

const offersTable = (context: PortalContext, rows: readonly FoundOffer[]): Markup =>
  dataTable<FoundOffer>({
    caption: "Offers",
    rowId: ({ id }) => `row-${id}`,
    columns: [...columnsOf(context), { heading: "Created", cell: ({ createdAt }) => context.times.time(createdAt) }],
    rows,
  });

const columnsOf = ({ times, user, deps }: PortalContext) => [
  {
    heading: "Offer",
    cell: ({ id, title }: FoundOffer) => html`<a href="/offers/${encodeURIComponent(id)}">${title}</a>`,
  },
  { heading: "When", cell: ({ events }: FoundOffer) => slotsOf(times, events, deps.now()) },
  ...(user.organisations.length > 1
    ? [{ heading: "Organisation", cell: ({ organisationName }: FoundOffer) => organisationName }]
    : []),
  { heading: "State", cell: offerState },
  { heading: "Applied", cell: ({ responses }: FoundOffer) => responses.applied },
  { heading: "Rejected", cell: ({ responses }: FoundOffer) => responses.rejected },
  { heading: "No response", cell: ({ responses }: FoundOffer) => responses.none },
];

/** The state of an offer as a badge. */
export function offerState(offer: Pick<FoundOffer, "complete" | "widthdrawn" | "isHistoric" | "responses">): Markup {
  if (offer.widthdrawn) return badge("Withdrawn", "bad");
  if (offer.complete) return badge("Complete", "good");
  if (offer.isHistoric) return badge("Open, but past", "warn");
  return offer.responses.applied > 0 ? badge("Needs your decision", "warn") : badge("Open", "none");
}
