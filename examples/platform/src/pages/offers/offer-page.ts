import { ProblemError } from "../../http/problem-error.ts";
import { applyAction } from "../../offers/apply-action.ts";
import { refusalProblem } from "../../offers/refusal-problem.ts";
import { ownerOfOffer } from "../../portal/offers/owner-of-offer.ts";
import { type OfferDetails, readOfferDetails } from "../../portal/offers/read-offers.ts";
import { html, type Markup } from "../layout/markup.ts";
import { numberParameterOf, paginate } from "../layout/pagination.ts";
import type { LocalTimes } from "../layout/time.ts";
import type { Page } from "../routing/page.ts";
import { submitOnce } from "../routing/submit-once.ts";
import type { PortalContext, PortalForm, PortalPage } from "../sections/portal-section.ts";
import { completionSamples, readingSamples } from "./code-samples.ts";
import { offerState } from "./offers-page.ts";
import { type Completion, recipientsSection } from "./recipients-section.ts";

const limit = 500;

/** `GET /offers/{id}?after=…` */
export const offerPage: PortalPage = (context) => showOffer(context, { selected: [], errors: [] });

/** `POST /offers/{id}/complete`: completes the offer with the selected workers. */
export const completeForm: PortalForm = async (context, form) => {
  const { deps, user, id } = context;
  const organisationId = await ownerOfOffer(deps, user, id);
  const workerIds = form.getAll("worker");
  try {
    return await submitOnce(context, form, user.organisationId, async (trx) => {
      const result = await applyAction(trx, deps, { organisationId }, id, { type: "complete", workerIds });
      if (result !== "done") throw refusalProblem(result);
      return {
        to: `/offers/${encodeURIComponent(id)}`,
        notice: "The offer is complete. All recipients are notified.",
      };
    });
  } catch (error) {
    const remedy = error instanceof ProblemError ? remedyOf(error, workerIds) : undefined;
    if (remedy === undefined) throw error;
    return showOffer(context, { selected: workerIds, errors: [remedy] });
  }
};

/** The error text; undefined when the offer cannot be shown. */
function remedyOf({ code, message }: ProblemError, workerIds: readonly string[]): string | undefined {
  if (code === "offer_completed" || code === "offer_withdrawn") return message;
  if (code !== "worker_not_applied") return undefined;
  return workerIds.length === 0
    ? "Select at least one worker who has applied."
    : "A selected worker no longer applies. Reload the page.";
}

/** @param completion the submitted selection and its errors */
async function showOffer(context: PortalContext, completion: Completion): Promise<Page> {
  const { deps, user, request } = context;
  const after = numberParameterOf(request, "after");
  const offer = await readOfferDetails(deps, user, context.id, { after, limit: limit + 1 });
  const { id, title } = offer;
  const { shown, links } = paginate(offer.recipients, { path: `/offers/${encodeURIComponent(id)}`, limit, after });
  const applied = offer.recipients.filter(({ response }) => response === "applied").map(({ workerId }) => workerId);
  const isOpen = !offer.complete && !offer.widthdrawn;
  const main = html`
    ${head(context, offer)}
    ${!isOpen && completion.errors.map((error) => html`<p class="notice bad" role="alert">${error}</p>`)}
    <section class="panel" aria-labelledby="about">
      <h2 id="about">The work</h2>
      ${facts(context, offer)}
    </section>
    ${recipientsSection(context, { ...offer, recipients: shown }, completion, links)}
    ${isOpen && completionSamples(context, id, completion.selected.length > 0 ? completion.selected : applied)}
    ${readingSamples(context, id)}`;
  return { title, main, ...(completion.errors.length > 0 && { status: 422 }) };
}

const head = ({ user, times }: PortalContext, offer: OfferDetails): Markup => html`
    <header class="page-head" id="head" data-live="offer">
      <div>
        <p class="crumb"><a href="/offers">Offers</a></p>
        <h1>${offer.title}</h1>
        ${user.organisations.length > 1 && html`<p>${offer.organisationName}</p>`}
        <p class="row" id="offer-state" role="status">${offerState(offer)} ${settledAt(times, offer)}</p>
      </div>
      ${!offer.widthdrawn && html`<a class="button quiet" href="/offers/${encodeURIComponent(offer.id)}/withdraw">Withdraw…</a>`}
    </header>`;

function settledAt({ time }: LocalTimes, { withdrawn_at, completed_at }: OfferDetails): Markup | undefined {
  const at = withdrawn_at ?? completed_at;
  return at === null ? undefined : html`<span class="fine">since ${time(at)}</span>`;
}

const facts = ({ times: { time, timeSpan } }: PortalContext, offer: OfferDetails): Markup => html`
      <dl class="facts">
        <dt>When</dt><dd>${offer.events.length === 0 ? "–" : offer.events.map(({ start, end }) => html`<div>${timeSpan(start, end)}</div>`)}</dd>
        <dt>Where</dt><dd>${offer.location_place_id || "–"}</dd>
        <dt>Details</dt><dd class="text">${offer.details || "–"}</dd>
        <dt>Contact</dt><dd>${offer.notify_email_address ?? "–"}</dd>
        <dt>Created</dt><dd>${time(offer.created_at)} by ${offer.createdBy ?? offer.created_by_user_id}</dd>
        <dt>Id</dt><dd><code>${offer.id}</code></dd>
      </dl>`;
