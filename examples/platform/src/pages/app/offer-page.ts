import { html } from "hono/html";
import { pathParameter } from "../../http/path-parameter.ts";
import type { WorkerAction } from "../../offers/transition.ts";
import { ProblemError } from "../../problem/problem-error.ts";
import { actAsWorker, viewOffer, type WorkerOffer } from "../../worker-app/worker-offer.ts";
import { formTokenField } from "../layout/form-token.ts";
import type { Markup } from "../layout/markup.ts";
import { timeSpan } from "../layout/time.ts";
import type { PageDeps } from "../routing/page-deps.ts";
import type { Page, PageAnswer } from "../routing/page-result.ts";
import type { AppVisit } from "./app-section.ts";

/** `GET /app/offers/{id}`: the offer view. That it was opened is noted; it is no answer (D-84). */
export const offerPage =
  (deps: PageDeps) =>
  async (visit: AppVisit): Promise<PageAnswer> => {
    const id = pathParameter(visit.request, "id");
    // Nobody looks when the page reads itself anew.
    const isOpened = visit.request.get("x-part") === undefined;
    if (isOpened) await actAsWorker(deps, visit.who.id, id, "open");
    return showOffer(deps, visit, id);
  };

/** @param refusal why an answer was not taken */
async function showOffer(deps: PageDeps, visit: AppVisit, id: string, refusal?: string): Promise<Page> {
  const offer = await viewOffer(deps, visit.who.id, id);
  const main = html`
      <header class="page-head"><p class="fine">${offer.organisation.name}</p><h1>${offer.title}</h1></header>
      ${refusal && html`<p class="notice bad" role="alert">${refusal}</p>`}
      <div id="offer" data-live="notification">
        ${standing(offer)}
        ${content(offer)}
        ${choices(visit, offer)}
      </div>`;
  return { title: offer.title, main, ...(refusal !== undefined && { status: 422 }) };
}

const notices: Record<Exclude<WorkerAction, "open">, string | undefined> = {
  apply: "You applied. You will be told who gets the work.",
  reject: "You rejected the offer.",
  close: undefined,
};

const tooLate: Partial<Record<string, string>> = {
  offer_complete: "Your answer came too late: the offer was completed.",
  offer_withdrawn: "Your answer came too late: the offer was withdrawn.",
};

/** `POST /app/offers/{id}/apply`, and likewise reject and close. */
export const answerOffer =
  (deps: PageDeps, action: Exclude<WorkerAction, "open">) =>
  async (visit: AppVisit): Promise<PageAnswer> => {
    const id = pathParameter(visit.request, "id");
    try {
      await actAsWorker(deps, visit.who.id, id, action);
    } catch (error) {
      // While the worker looked at it: the offer says so.
      const late = error instanceof ProblemError ? tooLate[error.code] : undefined;
      if (late !== undefined) return showOffer(deps, visit, id, late);
      throw error;
    }
    const notice = notices[action];
    return { to: action === "close" ? "/app" : pathOf(id), ...(notice !== undefined && { notice }) };
  };

const pathOf = (id: string): string => `/app/offers/${encodeURIComponent(id)}`;

/** How things are between the worker and the offer, in a sentence. */
function standing({ widthdrawn, successful, response, isHistoric }: WorkerOffer): Markup {
  if (widthdrawn) return html`<p class="standing bad">This offer was withdrawn.</p>`;
  if (successful) return html`<p class="standing good"><strong>You got the work.</strong></p>`;
  if (successful === false) return html`<p class="standing">The work went to others this time.</p>`;
  if (response === "applied") return html`<p class="standing good">You applied. It is not decided yet.</p>`;
  if (response === "rejected") return html`<p class="standing">You rejected this offer.</p>`;
  return html`<p class="standing">${isHistoric ? "The time of this offer is over." : "You have not answered yet."}</p>`;
}

const content = ({ details, locationPlaceId, events }: WorkerOffer): Markup => html`
  <dl class="facts">
    <dt>When</dt>
    <dd>${events.length > 0 ? html`<ul>${events.map((event) => html`<li>${timeSpan(event.start, event.end)}</li>`)}</ul>` : "No times are given."}</dd>
    ${locationPlaceId && html`<dt>Where</dt><dd>${locationPlaceId}</dd>`}
    ${details && html`<dt>What</dt><dd class="text">${details}</dd>`}
  </dl>`;

/** An answer may change until the offer is complete or withdrawn (D-08). */
function choices(visit: AppVisit, { id, complete, widthdrawn, response }: WorkerOffer): Markup {
  const isOpen = !complete && !widthdrawn;
  const button = (action: string, text: string, look: string): Markup => html`
    <form method="post" action="${pathOf(id)}/${action}">${formTokenField(visit)}<button class="${look}">${text}</button></form>`;
  return html`
    <div class="answers">
      ${isOpen && response !== "applied" && button("apply", response === "none" ? "Apply" : "Apply after all", "")}
      ${isOpen && response !== "rejected" && button("reject", response === "none" ? "Reject" : "Reject after all", "quiet")}
      ${button("close", "Close", "quiet")}
    </div>`;
}
