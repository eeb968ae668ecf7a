import type { RequestHandler } from "express";
import { parseBody } from "../http/parse-body.ts";
import { listParameters, listSchema } from "../lists/list-query.ts";
import { listOffers, offersCursor } from "./list-offers.ts";
import type { PortalDeps } from "./portal-deps.ts";
import { signedInPerson } from "./signed-in-person.ts";

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
