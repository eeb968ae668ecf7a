import type { RequestHandler } from "express";
import { pathParameter } from "../http/path-parameter.ts";
import { readOffer } from "../offers/read-offer.ts";
import { offerNotFound } from "../offers/refusal-problem.ts";
import type { ApiDeps } from "./api-deps.ts";
import { authenticate } from "./authenticate.ts";
import { checkApiVersion } from "./check-api-version.ts";

/** `GET /offer/{id}` */
export const getOfferRoute =
  (deps: ApiDeps): RequestHandler =>
  async (request, response) => {
    const organisationId = await authenticate(deps.store, request);
    checkApiVersion(request, { required: false });
    const offer = await readOffer(deps, organisationId, pathParameter(request, "id"));
    if (offer === undefined) throw offerNotFound();
    response.json(offer);
  };
