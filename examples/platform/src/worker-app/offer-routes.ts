import type { RequestHandler } from "express";
import { pathParameter } from "../http/path-parameter.ts";
import { actOnOffer } from "../offers/act-on-offer.ts";
import { commit } from "../offers/commit.ts";
import { isHistoric } from "../offers/read-offer.ts";
import { offerNotSent, refusalProblem } from "../offers/refusal-problem.ts";
import type { WorkerAction } from "../offers/transition.ts";
import { signedInWorker } from "./signed-in-worker.ts";
import type { WorkerAppDeps } from "./worker-app-deps.ts";

/** `GET /worker-app/offers/{id}`: the offer as the worker sees it, without the other recipients. */
export const viewOfferRoute =
  (deps: WorkerAppDeps): RequestHandler =>
  async (request, response) => {
    const workerId = await signedInWorker(deps, request);
    const offer = await deps.store.db
      .selectFrom("offers")
      .innerJoin("recipients", "offer_id", "offers.id")
      .innerJoin("organisations", "organisations.id", "organisation_id")
      .selectAll("offers")
      .select(["response", "confirmation", "organisations.name as organisationName"])
      .where("offers.id", "=", pathParameter(request, "id"))
      // To a worker who was not addressed the offer does not exist (D-36).
      .where("worker_id", "=", workerId)
      .executeTakeFirst();
    if (offer === undefined) throw offerNotSent();
    const complete = offer.completed_at !== null;
    response.json({
      id: offer.id,
      organisation: { id: offer.organisation_id, name: offer.organisationName },
      title: offer.title,
      details: offer.details,
      locationPlaceId: offer.location_place_id,
      events: offer.events,
      isHistoric: isHistoric(offer.ends_at, deps.now()),
      widthdrawn: offer.withdrawn_at !== null,
      complete,
      response: offer.response,
      successful: complete ? offer.confirmation !== "" : null,
    });
  };

/** `POST /worker-app/offers/{id}/open`, and likewise apply, reject, close. */
export const actRoute =
  (deps: WorkerAppDeps, type: WorkerAction): RequestHandler =>
  async (request, response) => {
    const workerId = await signedInWorker(deps, request);
    const id = pathParameter(request, "id");
    const result = await commit(deps, (trx) => actOnOffer(trx, deps, { workerId }, id, { type, workerId }));
    if (result !== "done") throw refusalProblem(result, offerNotSent);
    response.status(204).end();
  };
