import { pathParameter } from "../../http/path-parameter.ts";
import { applyAction } from "../../offers/apply-action.ts";
import { refusalProblem } from "../../offers/refusal-problem.ts";
import { ProblemError } from "../../problem/problem-error.ts";
import type { PortalContext } from "../portal/portal-section.ts";
import type { PageDeps } from "../routing/page-deps.ts";
import type { PageResult } from "../routing/page-result.ts";
import { submitOnce } from "../routing/submit-once.ts";
import { showOffer } from "./offer-page.ts";

/** `POST /offers/{id}/complete`: completes the offer with the selected workers. */
export const completeForm =
  (deps: PageDeps) =>
  async (context: PortalContext, form: URLSearchParams): Promise<PageResult> => {
    const { organisationId } = context.user;
    const id = pathParameter(context.request, "id");
    const workerIds = form.getAll("worker");
    try {
      return await submitOnce(deps, { context, form, organisationId }, async (trx) => {
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
      return showOffer(deps, context, { ticked: workerIds, errors: [remedy] });
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
