import { html } from "hono/html";
import { pathParameter } from "../../http/path-parameter.ts";
import { type OfferInFull, readOfferInFull } from "../../portal/offers/offer-details.ts";
import { codeSamples } from "../layout/code-samples.ts";
import type { Markup } from "../layout/markup.ts";
import { cutList, numberIn, withKey } from "../layout/pagination.ts";
import { time, timeSpan } from "../layout/time.ts";
import type { PortalVisit } from "../portal/portal-section.ts";
import type { PageDeps } from "../routing/page-deps.ts";
import type { Page } from "../routing/page-result.ts";
import { publicAddress } from "../routing/public-address.ts";
import { completionSamples, readingSamples } from "./offer-samples.ts";
import { offerState } from "./offer-state.ts";
import { type Completion, recipientsPart } from "./recipients-section.ts";

const recipientsLimit = 500;

/** `GET /offers/{id}?after=…` */
export const offerPage =
  (deps: PageDeps) =>
  async (visit: PortalVisit): Promise<Page> =>
    showOffer(deps, visit, { ticked: [], errors: [] });

/** @param completion what was ticked when the offer could not be completed */
export async function showOffer(deps: PageDeps, visit: PortalVisit, completion: Completion): Promise<Page> {
  const after = numberIn(visit.request, "after");
  const asked = { after, limit: recipientsLimit + 1 };
  const offer = await readOfferInFull(deps, visit.who.organisationId, pathParameter(visit.request, "id"), asked);
  const { id, title } = offer;
  const { shown, links } = cutList(offer.recipients, {
    ...{ limit: recipientsLimit, after: after?.toString(), keyOf: ({ id }) => id },
    addressOf: (key) => withKey(`/offers/${encodeURIComponent(id)}`, "after", key),
    words: { first: "The first", next: "More" },
  });
  const base = publicAddress(deps, visit.request);
  const applied = offer.recipients.filter(({ response }) => response === "applied").map(({ workerId }) => workerId);
  const isOpen = !offer.complete && !offer.widthdrawn;
  const main = html`
    ${head(offer)}
    ${!isOpen && completion.errors.map((error) => html`<p class="notice bad" role="alert">${error}</p>`)}
    ${recipientsPart({ ...offer, recipients: [...shown] }, visit, { ...completion, links })}
    ${isOpen && codeSamples(completionSamples(base, id, completion.ticked.length > 0 ? completion.ticked : applied))}
    ${codeSamples(readingSamples(base, id))}
    <section class="panel" aria-labelledby="about">
      <h2 id="about">The offer</h2>
      ${facts(offer)}
    </section>`;
  return { title, main, ...(completion.errors.length > 0 && { status: 422 }) };
}

const head = (offer: OfferInFull): Markup => html`
    <header class="page-head" id="head" data-live="offer">
      <div>
        <p class="crumb"><a href="/offers">Offers</a></p>
        <h1>${offer.title}</h1>
        <p class="row" id="offer-state" role="status">${offerState(offer)} ${settledAt(offer)}</p>
      </div>
      ${!offer.widthdrawn && html`<a class="button quiet" href="/offers/${encodeURIComponent(offer.id)}/withdraw">Withdraw…</a>`}
    </header>`;

function settledAt({ withdrawn_at, completed_at }: OfferInFull): Markup | undefined {
  const at = withdrawn_at ?? completed_at;
  return at === null ? undefined : html`<span class="fine">since ${time(at)}</span>`;
}

const facts = (offer: OfferInFull): Markup => html`
      <dl class="facts">
        <dt>Details</dt><dd>${offer.details || "–"}</dd>
        <dt>Time slots</dt><dd>${offer.events.length === 0 ? "–" : offer.events.map(({ start, end }) => html`<div>${timeSpan(start, end)}</div>`)}</dd>
        <dt>Place</dt><dd>${offer.location_place_id || "–"}</dd>
        <dt>Contact</dt><dd>${offer.notify_email_address ?? "–"}</dd>
        <dt>Created</dt><dd>${time(offer.created_at)} by ${offer.createdBy ?? offer.created_by_user_id}</dd>
        <dt>Id</dt><dd><code>${offer.id}</code></dd>
      </dl>`;
