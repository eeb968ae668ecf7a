import { html } from "hono/html";
import { type ListedOffer, listOffers, offersCursor } from "../../portal/offers/list-offers.ts";
import { dataTable } from "../layout/data-table.ts";
import type { Markup } from "../layout/markup.ts";
import { pageLinks, positionFrom, withCursor } from "../layout/pagination.ts";
import { time } from "../layout/time.ts";
import type { PortalContext } from "../portal/portal-section.ts";
import type { PageDeps } from "../routing/page-deps.ts";
import type { Page } from "../routing/page-result.ts";
import { offerState } from "./offer-state.ts";

const limit = 100;

/** `GET /offers?before=…` */
export const offersPage =
  (deps: PageDeps) =>
  async ({ user, request }: PortalContext): Promise<Page> => {
    const { after, before } = positionFrom(request, offersCursor);
    const { rows: shown, next } = await listOffers(deps, user.organisationId, { before, limit });
    const links = pageLinks({ after, next, addressOf: (key) => withCursor("/offers", "before", key) });
    const main = html`
      <header class="page-head">
        <h1>Offers</h1>
        <a class="button" href="/offers/new">Create an offer</a>
      </header>
      <section class="panel" id="offers" data-live="offer" aria-label="Offers, newest first">
        ${shown.length > 0 ? offersTable(shown) : after === undefined ? noOffers : html`<p class="empty">No older offers.</p>`}
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
