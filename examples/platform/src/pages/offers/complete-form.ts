import { pathParameter } from "../../http/path-parameter.ts";
import { actOnOffer } from "../../offers/act-on-offer.ts";
import { commit } from "../../offers/commit.ts";
import { offerNotFound, refusalProblem } from "../../offers/refusal-problem.ts";
import type { PageAnswer } from "../frame/page-answer.ts";
import type { PageDeps } from "../page-deps.ts";
import type { PortalVisit } from "../portal-audience.ts";
import { showOffer } from "./offer-page.ts";

/** `POST /offers/{id}/complete`: with the workers that are ticked. */
export const completeForm =
  (deps: PageDeps) =>
  async (visit: PortalVisit, form: URLSearchParams): Promise<PageAnswer> => {
    const { organisationId } = visit.who;
    const id = pathParameter(visit.request, "id");
    const workerIds = form.getAll("worker");
    const result = await commit(deps, (trx) =>
      actOnOffer(trx, deps, { organisationId }, id, { type: "complete", workerIds }),
    );
    if (result === "done")
      return { to: `/offers/${encodeURIComponent(id)}`, notice: "The offer is complete. Everybody is told." };
    if (result.code === "offer_not_found") throw offerNotFound();
    const remedy =
      result.code !== "worker_not_applied"
        ? refusalProblem(result).message
        : workerIds.length === 0
          ? "Tick at least one worker who has applied."
          : "Not everybody you ticked applies any more; look again.";
    return showOffer(deps, visit, { ticked: workerIds, errors: [remedy] });
  };
