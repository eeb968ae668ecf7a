import { pathParameter } from "../../http/path-parameter.ts";
import { actOnOffer } from "../../offers/apply-action.ts";
import { refusalProblem } from "../../offers/refusal-problem.ts";
import { ProblemError } from "../../problem/problem-error.ts";
import type { PortalVisit } from "../portal/portal-section.ts";
import type { PageDeps } from "../routing/page-deps.ts";
import type { PageAnswer } from "../routing/page-result.ts";
import { actOnce } from "../routing/submit-once.ts";
import { showOffer } from "./offer-page.ts";

/** `POST /offers/{id}/complete`: with the workers that are ticked. */
export const completeForm =
  (deps: PageDeps) =>
  async (visit: PortalVisit, form: URLSearchParams): Promise<PageAnswer> => {
    const { organisationId } = visit.who;
    const id = pathParameter(visit.request, "id");
    const workerIds = form.getAll("worker");
    try {
      return await actOnce(deps, { visit, form, organisationId }, async (trx) => {
        const result = await actOnOffer(trx, deps, { organisationId }, id, { type: "complete", workerIds });
        if (result !== "done") throw refusalProblem(result);
        return { to: `/offers/${encodeURIComponent(id)}`, notice: "The offer is complete. Everybody is told." };
      });
    } catch (error) {
      const remedy = error instanceof ProblemError ? remedyOf(error, workerIds) : undefined;
      if (remedy === undefined) throw error;
      return showOffer(deps, visit, { ticked: workerIds, errors: [remedy] });
    }
  };

/** Undefined where the offer cannot be shown. */
function remedyOf({ code, message }: ProblemError, workerIds: readonly string[]): string | undefined {
  if (code === "offer_complete" || code === "offer_withdrawn") return message;
  if (code !== "worker_not_applied") return undefined;
  return workerIds.length === 0
    ? "Tick at least one worker who has applied."
    : "Not everybody you ticked applies any more; look again.";
}
