import type { RequestHandler } from "express";
import { pathParameter } from "../http/path-parameter.ts";
import { actOnOffer } from "../offers/act-on-offer.ts";
import { refusalProblem } from "../offers/refusal-problem.ts";
import type { ApiDeps } from "./api-deps.ts";
import { authenticate } from "./authenticate.ts";
import { checkApiVersion } from "./check-api-version.ts";

/** `GET /offer/{id}/withdraw` */
export const withdrawOfferRoute =
  (deps: ApiDeps): RequestHandler =>
  async (request, response) => {
    const organisationId = await authenticate(deps.store, request);
    checkApiVersion(request, { required: false });
    const action = { type: "withdraw" } as const;
    const result = await actOnOffer(deps, { organisationId }, pathParameter(request, "id"), action);
    if (result !== "done") throw refusalProblem(result);
    response.status(200).end();
  };
