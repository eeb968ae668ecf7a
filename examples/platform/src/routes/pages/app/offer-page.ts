import { ProblemError } from "../../../http/problem.ts";
import type { WorkerAction } from "../../../offers/transition.ts";
import { actAsWorker, readOfferAsWorker, type WorkerOffer } from "../../worker-app/worker-offer.ts";
import { formTokenField } from "../layout/field.ts";
import { html, type Markup } from "../layout/markup.ts";
import type { Page } from "../routing/page.ts";
import type { AppContext, AppForm, AppPage } from "../sections/app-section.ts";

/** `GET /app/offers/{id}`: shows the offer and records that the worker opened it, which is not a response (D-84). */
export const offerPage: AppPage = async (context) => {
  const { deps, user, id, request } = context;
  // A live update does not count as opening the offer.
  if (request.get("x-part") === undefined) await actAsWorker(deps, user.id, id, "open");
  return renderOffer(context);
};

/** Renders the offer. @param errorMessage why the worker's response was rejected */
async function renderOffer(context: AppContext, errorMessage?: string): Promise<Page> {
  const offer = await readOfferAsWorker(context.deps, context.user.id, context.id);
  const main = html`
      <header class="page-head"><p class="fine">${offer.organisation.name}</p><h1>${offer.title}</h1></header>
      ${errorMessage && html`<p class="notice bad" role="alert">${errorMessage}</p>`}
      <div id="offer" data-live="notification">
        <div id="standing" role="status">${offerStateNotice(offer)}</div>
        ${offerFacts(context, offer)}
        ${responseButtons(context, offer)}
      </div>`;
  return { title: offer.title, main, ...(errorMessage !== undefined && { status: 422 }) };
}

const notices = {
  apply: { notice: "You applied. You will be notified once the work is assigned." },
  reject: { notice: "You rejected the offer." },
  close: {},
} as const;

const lateResponseMessages: Partial<Record<string, string>> = {
  offer_completed: "Your response came too late: the offer was completed.",
  offer_withdrawn: "Your response came too late: the offer was withdrawn.",
};

/** `POST /app/offers/{id}/apply`, `/reject` and `/close`. */
export const respondToOffer =
  (action: Exclude<WorkerAction, "open">): AppForm =>
  async (context) => {
    const { deps, user, id } = context;
    try {
      await actAsWorker(deps, user.id, id, action);
    } catch (error) {
      // The offer may have been completed or withdrawn while the worker was viewing it.
      const lateMessage = error instanceof ProblemError ? lateResponseMessages[error.code] : undefined;
      if (lateMessage !== undefined) return renderOffer(context, lateMessage);
      throw error;
    }
    return { to: action === "close" ? "/app" : offerPath(id), ...notices[action] };
  };

const offerPath = (id: string): string => `/app/offers/${encodeURIComponent(id)}`;

/** Renders the state of the offer for this worker. `widthdrawn` is the contract's spelling. */
function offerStateNotice({ widthdrawn, successful, response, isHistoric }: WorkerOffer): Markup {
  if (widthdrawn) return html`<p class="standing bad">This offer was withdrawn.</p>`;
  if (successful) return html`<p class="standing good"><strong>You got the work.</strong></p>`;
  if (successful === false) return html`<p class="standing">Others got the work this time.</p>`;
  if (response === "applied") return html`<p class="standing good">You applied. The decision is pending.</p>`;
  if (response === "rejected") return html`<p class="standing">You rejected this offer.</p>`;
  return html`<p class="standing">${isHistoric ? "This offer is in the past." : "You have not responded yet."}</p>`;
}

const offerFacts = ({ times: { timeSpan } }: AppContext, { details, placeName, events }: WorkerOffer): Markup => html`
  <dl class="facts">
    <dt>When</dt>
    <dd>${events.length > 0 ? html`<ul>${events.map((event) => html`<li>${timeSpan(event.start, event.end)}</li>`)}</ul>` : "No time slots."}</dd>
    ${placeName && html`<dt>Where</dt><dd>${placeName}</dd>`}
    ${details && html`<dt>What</dt><dd class="text">${details}</dd>`}
  </dl>`;

/** Renders the response buttons. The worker can change their response until the offer is complete or withdrawn (D-08). */
function responseButtons(
  context: AppContext,
  { id, organisation, complete, widthdrawn, response }: WorkerOffer,
): Markup {
  const isOpen = !complete && !widthdrawn;
  const button = (action: string, label: string, buttonClass: string): Markup => html`
    <form method="post" action="${offerPath(id)}/${action}">${formTokenField(context)}<button class="${buttonClass}">${label}</button></form>`;
  return html`
    ${isOpen && html`<p class="fine">You can change your response until ${organisation.name} completes or withdraws the offer.</p>`}
    <div class="responses">
      ${isOpen && response !== "applied" && button("apply", response === "none" ? "Apply" : "Apply after all", "")}
      ${isOpen && response !== "rejected" && button("reject", response === "none" ? "Reject" : "Reject after all", "quiet")}
      ${button("close", "Close", "quiet")}
    </div>`;
}
