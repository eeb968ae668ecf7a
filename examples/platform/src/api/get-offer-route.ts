import type { RequestHandler } from "express";
import { pathParameter } from "../http/path-parameter.ts";
import { jsonResponse } from "../http/response.ts";
import { readOffer } from "../offers/read-offer.ts";
import type { ApiDeps } from "./api-deps.ts";
import { operation } from "./operation.ts";

/** `GET /offer/{id}` */
export const getOfferRoute = (deps: ApiDeps): RequestHandler =>
  operation(deps, "GetOffer", async ({ caller, request }) => {
    const offer = await readOffer(deps, caller.organisationId, pathParameter(request, "id"));
    return offer === undefined ? deps.dialect.absent() : jsonResponse(200, offer);
  });
