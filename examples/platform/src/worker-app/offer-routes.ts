import type { RequestHandler } from "express";
import { pathParameter } from "../http/path-parameter.ts";
import type { WorkerAction } from "../offers/transition.ts";
import { signedInWorker } from "./signed-in-worker.ts";
import type { WorkerAppDeps } from "./worker-app-deps.ts";
import { actAsWorker, viewOffer } from "./worker-offer.ts";

/** `GET /worker-app/offers/{id}` */
export const viewOfferRoute =
  (deps: WorkerAppDeps): RequestHandler =>
  async (request, response) => {
    const workerId = await signedInWorker(deps, request);
    response.json(await viewOffer(deps, workerId, pathParameter(request, "id")));
  };

/** `POST /worker-app/offers/{id}/open`, and likewise apply, reject, close. */
export const actRoute =
  (deps: WorkerAppDeps, type: WorkerAction): RequestHandler =>
  async (request, response) => {
    const workerId = await signedInWorker(deps, request);
    await actAsWorker(deps, workerId, pathParameter(request, "id"), type);
    response.status(204).end();
  };
