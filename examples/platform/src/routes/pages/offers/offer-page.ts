import { type OfferDetails, readOfferDetails } from "../../portal/offers/read-offers.ts";
import { html, type Markup } from "../layout/markup.ts";
import { paginate, readNumberParameter } from "../layout/pagination.ts";
import type { LocalTimes } from "../layout/time.ts";
import type { Page } from "../routing/page.ts";
import type { PortalContext, PortalPage } from "../sections/portal-section.ts";
import { completionSamples, readingSamples } from "./code-samples.ts";
import { offerStateBadge } from "./offers-page.ts";
import { type Completion, recipientsSection } from "./recipients-section.ts";

const limit = 500;

/** `GET /offers/{id}?after=…` */
export const offerPage: PortalPage = (context) => renderOffer(context, { selectedIds: [], errors: [] });

/** Renders the offer. @param completion the submitted selection and its errors */
export async function renderOffer(context: PortalContext, completion: Completion): Promise<Page> {
  const { deps, user, request } = context;
  const after = readNumberParameter(request, "after");
  const offer = await readOfferDetails(deps, user, context.id, { after, limit: limit + 1 });
  const { id, title } = offer;
  const { pageRows, links } = paginate(offer.recipients, { path: `/offers/${encodeURIComponent(id)}`, limit, after });
  const applicantIds = offer.recipients
    .filter(({ response }) => response === "applied")
    .map(({ workerId }) => workerId);
  // `widthdrawn` is the contract's spelling.
  const isOpen = !offer.complete && !offer.widthdrawn;
  const main = html`
    ${pageHead(context, offer)}
    ${!isOpen && completion.errors.map((error) => html`<p class="notice bad" role="alert">${error}</p>`)}
    <section class="panel" aria-labelledby="about">
      <h2 id="about">The work</h2>
      ${offerFacts(context, offer)}
    </section>
    ${recipientsSection(context, { ...offer, recipients: pageRows }, completion, links)}
    ${isOpen && completionSamples(context, id, completion.selectedIds.length > 0 ? completion.selectedIds : applicantIds)}
    ${readingSamples(context, id)}`;
  return { title, main, ...(completion.errors.length > 0 && { status: 422 }) };
}

const pageHead = ({ user, times }: PortalContext, offer: OfferDetails): Markup => html`
    <header class="page-head" id="head" data-live="offer">
      <div>
        <p class="crumb"><a href="/offers">Offers</a></p>
        <h1>${offer.title}</h1>
        ${user.organisations.length > 1 && html`<p>${offer.organisationName}</p>`}
        <p class="row" id="offer-state" role="status">${offerStateBadge(offer)} ${settledTime(times, offer)}</p>
      </div>
      ${!offer.widthdrawn && html`<a class="button quiet" href="/offers/${encodeURIComponent(offer.id)}/withdraw">Withdraw…</a>`}
    </header>`;

function settledTime({ time }: LocalTimes, { withdrawn_at, completed_at }: OfferDetails): Markup | undefined {
  const settledAt = withdrawn_at ?? completed_at;
  return settledAt === null ? undefined : html`<span class="fine">since ${time(settledAt)}</span>`;
}

const offerFacts = ({ times: { time, timeSpan } }: PortalContext, offer: OfferDetails): Markup => html`
      <dl class="facts">
        <dt>When</dt><dd>${offer.events.length === 0 ? "–" : offer.events.map(({ start, end }) => html`<div>${timeSpan(start, end)}</div>`)}</dd>
        <dt>Where</dt><dd>${offer.place || "–"}</dd>
        <dt>Details</dt><dd class="text">${offer.details || "–"}</dd>
        <dt>Contact</dt><dd>${offer.notify_email_address ?? "–"}</dd>
        <dt>Created</dt><dd>${time(offer.created_at)} by ${offer.createdBy ?? offer.created_by_user_id}</dd>
        <dt>Webhooks</dt><dd><a href="/deliveries?q=${encodeURIComponent(offer.id)}">Deliveries for this offer</a></dd>
        <dt>Id</dt><dd><code>${offer.id}</code></dd>
      </dl>`;
