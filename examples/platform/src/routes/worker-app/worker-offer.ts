import { applyAction, offerNotSentToWorker, refusalProblem } from "../../offers/apply-action.ts";
import { offerFlags } from "../../offers/read-offer.ts";
import type { WorkerAction } from "../../offers/transition.ts";
import { placeName } from "../../store/place-name.ts";
import type { WorkerAppDeps } from "./worker.ts";

/**
 * Reads the offer as the worker sees it, without the other recipients.
 *
 * @throws {ProblemError} `offer_not_found` if the offer does not exist or was not sent to this worker
 */
export async function readOfferAsWorker(deps: WorkerAppDeps, workerId: string, offerId: string) {
  const offer = await deps.store.db
    .selectFrom("offers")
    .innerJoin("recipients", "offer_id", "offers.id")
    .innerJoin("organisations", "organisations.id", "organisation_id")
    .selectAll("offers")
    .select(["response", "confirmation", "organisations.name as organisationName", placeName.as("placeName")])
    .where("offers.id", "=", offerId)
    // D-36: workers who did not receive the offer get 404.
    .where("worker_id", "=", workerId)
    .executeTakeFirst();
  if (offer === undefined) throw offerNotSentToWorker();
  const flags = offerFlags(offer, deps.now());
  return {
    id: offer.id,
    organisation: { id: offer.organisation_id, name: offer.organisationName },
    title: offer.title,
    details: offer.details,
    locationPlaceId: offer.location_place_id,
    placeName: offer.placeName,
    events: offer.events,
    ...flags,
    response: offer.response,
    successful: flags.complete ? offer.confirmation !== "" : null,
  };
}

export type WorkerOffer = Awaited<ReturnType<typeof readOfferAsWorker>>;

/**
 * Performs a worker's action: opens or closes the offer, applies to it, or rejects it.
 *
 * @throws {ProblemError} `offer_not_found`, `offer_completed` or `offer_withdrawn`
 */
export async function actAsWorker(
  deps: WorkerAppDeps,
  workerId: string,
  offerId: string,
  type: WorkerAction,
): Promise<void> {
  const result = await deps.store.transaction((trx) =>
    applyAction(trx, deps, { workerId }, offerId, { type, workerId }),
  );
  if (result !== "done") throw refusalProblem(result, offerNotSentToWorker);
}
