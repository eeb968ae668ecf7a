import { html } from "hono/html";
import { pathParameter } from "../../http/path-parameter.ts";
import { type OfferDetails, readOfferDetails } from "../../portal/offers/offer-details.ts";
import { codeSamples } from "../layout/code-samples.ts";
import type { Markup } from "../layout/markup.ts";
import { numberFrom, paginate, withCursor } from "../layout/pagination.ts";
import { time, timeSpan } from "../layout/time.ts";
import type { PortalContext } from "../portal/portal-section.ts";
import type { PageDeps } from "../routing/page-deps.ts";
import type { Page } from "../routing/page-result.ts";
import { publicAddress } from "../routing/public-address.ts";
import { completionSamples, readingSamples } from "./offer-samples.ts";
import { offerState } from "./offer-state.ts";
import { type Completion, recipientsSection } from "./recipients-section.ts";

const recipientsLimit = 500;

/** `GET /offers/{id}?after=…` */
export const offerPage =
  (deps: PageDeps) =>
  async (context: PortalContext): Promise<Page> =>
    showOffer(deps, context, { ticked: [], errors: [] });

/** @param completion the submitted selection and its errors */
export async function showOffer(deps: PageDeps, context: PortalContext, completion: Completion): Promise<Page> {
  const after = numberFrom(context.request, "after");
  const query = { after, limit: recipientsLimit + 1 };
  const offer = await readOfferDetails(deps, context.user.organisationId, pathParameter(context.request, "id"), query);
  const { id, title } = offer;
  const { shown, links } = paginate(offer.recipients, {
    ...{ limit: recipientsLimit, after: after?.toString(), keyOf: ({ id }) => id },
    addressOf: (key) => withCursor(`/offers/${encodeURIComponent(id)}`, "after", key),
    words: { first: "The first", next: "More" },
  });
  const base = publicAddress(deps, context.request);
  const applied = offer.recipients.filter(({ response }) => response === "applied").map(({ workerId }) => workerId);
  const isOpen = !offer.complete && !offer.widthdrawn;
  const main = html`
    ${head(offer)}
    ${!isOpen && completion.errors.map((error) => html`<p class="notice bad" role="alert">${error}</p>`)}
    ${recipientsSection({ ...offer, recipients: [...shown] }, context, { ...completion, links })}
    ${isOpen && codeSamples(completionSamples(base, id, completion.ticked.length > 0 ? completion.ticked : applied))}
    ${codeSamples(readingSamples(base, id))}
    <section class="panel" aria-labelledby="about">
      <h2 id="about">The offer</h2>
      ${facts(offer)}
    </section>`;
  return { title, main, ...(completion.errors.length > 0 && { status: 422 }) };
}

const head = (offer: OfferDetails): Markup => html`
    <header class="page-head" id="head" data-live="offer">
      <div>
        <p class="crumb"><a href="/offers">Offers</a></p>
        <h1>${offer.title}</h1>
        <p class="row" id="offer-state" role="status">${offerState(offer)} ${settledAt(offer)}</p>
      </div>
      ${!offer.widthdrawn && html`<a class="button quiet" href="/offers/${encodeURIComponent(offer.id)}/withdraw">Withdraw…</a>`}
    </header>`;

function settledAt({ withdrawn_at, completed_at }: OfferDetails): Markup | undefined {
  const at = withdrawn_at ?? completed_at;
  return at === null ? undefined : html`<span class="fine">since ${time(at)}</span>`;
}

const facts = (offer: OfferDetails): Markup => html`
      <dl class="facts">
        <dt>Details</dt><dd>${offer.details || "–"}</dd>
        <dt>Time slots</dt><dd>${offer.events.length === 0 ? "–" : offer.events.map(({ start, end }) => html`<div>${timeSpan(start, end)}</div>`)}</dd>
        <dt>Place</dt><dd>${offer.location_place_id || "–"}</dd>
        <dt>Contact</dt><dd>${offer.notify_email_address ?? "–"}</dd>
        <dt>Created</dt><dd>${time(offer.created_at)} by ${offer.createdBy ?? offer.created_by_user_id}</dd>
        <dt>Id</dt><dd><code>${offer.id}</code></dd>
      </dl>`;
