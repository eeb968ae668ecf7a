import { ProblemError } from "../../../http/problem.ts";
import { applyAction, refusalProblem } from "../../../offers/apply-action.ts";
import { requireOfferOwner } from "../../portal/offers/owner-of-offer.ts";
import { readApplicants, readOfferDetails } from "../../portal/offers/read-offers.ts";
import { formTokenField } from "../layout/field.ts";
import { formatCount } from "../layout/labels.ts";
import { html } from "../layout/markup.ts";
import type { Page } from "../routing/page.ts";
import { idempotencyField, submitOnce } from "../routing/submit-once.ts";
import type { PortalContext, PortalForm } from "../sections/portal-section.ts";
import { renderOffer } from "./offer-page.ts";

/** `POST /offers/{id}/complete`: asks for confirmation or, once confirmed, completes the offer. Completing cannot be undone (D-132). */
export const handleComplete: PortalForm = async (context, form) => {
  const workerIds = form.getAll("worker");
  try {
    return form.has("confirmed")
      ? await completeOffer(context, form, workerIds)
      : await renderConfirmation(context, workerIds);
  } catch (error) {
    const errorMessage = error instanceof ProblemError ? toErrorMessage(error, workerIds) : undefined;
    if (errorMessage === undefined) throw error;
    return renderOffer(context, { selectedIds: workerIds, errors: [errorMessage] });
  }
};

/** Renders the page again with the workers that were selected before the session expired. */
export const restoreCompletion: PortalForm = (context, form) =>
  renderOffer(context, { selectedIds: form.getAll("worker"), errors: [] });

async function completeOffer(context: PortalContext, form: URLSearchParams, workerIds: readonly string[]) {
  const { deps, user, id } = context;
  const organisationId = await requireOfferOwner(deps, user, id);
  return submitOnce(context, form, user.organisationId, async (trx) => {
    const result = await applyAction(trx, deps, { organisationId }, id, { type: "complete", workerIds });
    if (result !== "done") throw refusalProblem(result);
    return {
      to: `/offers/${encodeURIComponent(id)}`,
      notice: "The offer is complete. All recipients will be notified.",
    };
  });
}

/** Renders the confirmation page for completing the offer with these workers. Throws the same errors as the completion. */
async function renderConfirmation(context: PortalContext, workerIds: readonly string[]): Promise<Page> {
  const { deps, user } = context;
  // `widthdrawn` is the contract's spelling.
  const { id, title, responses, complete, widthdrawn } = await readOfferDetails(deps, user, context.id);
  if (widthdrawn) throw refusalProblem({ code: "offer_withdrawn" });
  if (complete) throw refusalProblem({ code: "offer_completed" });
  const applicants = await readApplicants(deps, id, workerIds);
  // `indexes` is empty, because the page does not show positions.
  if (applicants.length === 0 || applicants.length < new Set(workerIds).size)
    throw refusalProblem({ code: "worker_not_applied", indexes: [] });
  const path = `/offers/${encodeURIComponent(id)}`;
  const otherCount = responses.applied + responses.rejected + responses.none - applicants.length;
  const unselectedApplicantCount = responses.applied - applicants.length;
  const applicantsNote = unselectedApplicantCount > 0 ? ` (${unselectedApplicantCount} of them applied)` : "";
  const othersNote = `${formatCount(otherCount, "other worker")}${applicantsNote} will be notified that others got the work.`;
  const main = html`
    <header class="page-head">
      <div>
        <p class="crumb"><a href="${path}">${title}</a></p>
        <h1>Give the work to ${formatCount(applicants.length, "worker")}?</h1>
      </div>
    </header>
    <form method="post" action="${path}/complete" class="panel">
      ${formTokenField(context)}
      ${idempotencyField(id)}
      <input type="hidden" name="confirmed" value="yes">
      ${applicants.map(({ workerId }) => html`<input type="hidden" name="worker" value="${workerId}">`)}
      <ul class="names">${applicants.map(({ name, workerId }) => html`<li><strong>${name}</strong> <code>${workerId}</code></li>`)}</ul>
      <p>
        They will be notified that they got the work.
        ${otherCount > 0 && othersNote}
        The offer will accept no more responses. This cannot be undone. You can only withdraw the whole offer.
      </p>
      <div class="row">
        <button>Complete the offer</button>
        <a class="button quiet" href="${path}">Change the selection</a>
      </div>
    </form>`;
  return { title: `Complete ${title}`, main };
}

/** Returns the message to show on the offer page, or undefined for an error that needs an error page. */
function toErrorMessage({ code, message }: ProblemError, workerIds: readonly string[]): string | undefined {
  if (code === "offer_completed" || code === "offer_withdrawn") return message;
  if (code !== "worker_not_applied") return undefined;
  return workerIds.length === 0
    ? "Select at least one worker who has applied."
    : "A selected worker no longer applies. Reload the page.";
}
