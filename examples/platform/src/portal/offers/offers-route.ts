import type { RequestHandler } from "express";
import { listParameters, listSchema } from "../../lists/list-query.ts";
import { parseBody } from "../../validation/parse-body.ts";
import type { PortalDeps } from "../person/portal-deps.ts";
import { signedInPerson } from "../person/signed-in-person.ts";
import { listOffers, offersCursor } from "./list-offers.ts";

const querySchema = listSchema(offersCursor);

/** `GET /portal/offers`: newest first. */
export const listOffersRoute =
  (deps: PortalDeps): RequestHandler =>
  async (request, response) => {
    const { organisationId } = await signedInPerson(deps, request, listParameters);
    const part = parseBody(querySchema, { ...request.query });
    const { rows: offers, next } = await listOffers(deps, organisationId, part);
    response.json({ offers, next });
  };
