import type { RequestHandler } from "express";
import { createOffer } from "../offers/create-offer.ts";
import type { ApiDeps } from "./api-deps.ts";
import { authenticate } from "./authenticate.ts";
import { checkApiVersion } from "./check-api-version.ts";
import { checkCreation } from "./check-creation.ts";
import { creationContext } from "./creation-context.ts";

/** `POST /offer` */
export const createOfferRoute =
  (deps: ApiDeps): RequestHandler =>
  async (request, response) => {
    const organisationId = await authenticate(deps.store, request);
    checkApiVersion(request, { required: false });
    const body = await deps.readJson(request, response);
    const input = await checkCreation(body, creationContext(deps, organisationId));
    const id = await createOffer(deps, organisationId, input);
    response.status(201).location(`/offer/${id}`).json({ id });
  };
