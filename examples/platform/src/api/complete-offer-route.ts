import type { RequestHandler } from "express";
import { assignedWorkerIdsSchema } from "../generated/schemas.ts";
import { parseBody } from "../http/parse-body.ts";
import { pathParameter } from "../http/path-parameter.ts";
import { actOnOffer } from "../offers/act-on-offer.ts";
import { refusalProblem } from "../offers/refusal-problem.ts";
import type { ApiDeps } from "./api-deps.ts";
import { authenticate } from "./authenticate.ts";
import { checkApiVersion } from "./check-api-version.ts";

/** `POST /offer/{id}/complete` */
export const completeOfferRoute =
  (deps: ApiDeps): RequestHandler =>
  async (request, response) => {
    const organisationId = await authenticate(deps.store, request);
    checkApiVersion(request, { required: true });
    const workerIds = parseBody(assignedWorkerIdsSchema, await deps.readJson(request, response));
    const action = { type: "complete", workerIds } as const;
    const result = await actOnOffer(deps, { organisationId }, pathParameter(request, "id"), action);
    if (result !== "done") throw refusalProblem(result);
    response.status(204).end();
  };
