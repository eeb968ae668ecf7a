import { type ListedOffer, offerList } from "../../portal/read-offers.ts";
import { dataTable } from "../layout/data-table.ts";
import { badge } from "../layout/labels.ts";
import { html, type Markup } from "../layout/markup.ts";
import { newestFirst } from "../layout/pagination.ts";
import { time } from "../layout/time.ts";
import type { PortalPage } from "../sections/portal-section.ts";

/** `GET /offers?before=…` */
export const offersPage: PortalPage = async (context) => {
  const { rows, isNewest, links } = await newestFirst(context, offerList, 100);
  const main = html`
      <header class="page-head">
        <h1>Offers</h1>
        <a class="button" href="/offers/new">Create an offer</a>
      </header>
      <section class="panel" id="offers" data-live="offer" aria-label="Offers, newest first">
        ${rows.length > 0 ? offersTable(rows) : isNewest ? noOffers : html`<p class="empty">No older offers.</p>`}
        ${links}
      </section>`;
  return { title: "Offers", main };
};

const noOffers = html`
  <div class="empty">
    <h2>No offers yet</h2>
    <p>An offer of work goes to the phones of the workers you pick; their responses appear here.</p>
    <p><a class="button" href="/offers/new">Create the first one</a></p>
  </div>`;

const offersTable = (offers: readonly ListedOffer[]): Markup =>
  dataTable<ListedOffer>({
    caption: "Offers, newest first",
    rowId: ({ id }) => `row-${id}`,
    columns: [
      { heading: "Offer", cell: ({ id, title }) => html`<a href="/offers/${encodeURIComponent(id)}">${title}</a>` },
      { heading: "State", cell: offerState },
      { heading: "Applied", cell: ({ responses }) => responses.applied },
      { heading: "Rejected", cell: ({ responses }) => responses.rejected },
      { heading: "No response", cell: ({ responses }) => responses.none },
      { heading: "Created", cell: ({ createdAt }) => time(createdAt) },
    ],
    rows: offers,
  });

/** The state of an offer as a badge. */
export function offerState({
  complete,
  widthdrawn,
  isHistoric,
}: Pick<ListedOffer, "complete" | "widthdrawn" | "isHistoric">): Markup {
  if (widthdrawn) return badge("Withdrawn", "bad");
  if (complete) return badge("Complete", "good");
  return isHistoric ? badge("Open, but past", "warn") : badge("Open", "none");
}
