import type { RequestHandler } from "express";
import { listOffers } from "./list-offers.ts";
import type { PortalDeps } from "./portal-deps.ts";
import { signedInPerson } from "./signed-in-person.ts";

/** `GET /portal/offers`: the latest. */
export const listOffersRoute =
  (deps: PortalDeps): RequestHandler =>
  async (request, response) => {
    const { organisationId } = await signedInPerson(deps, request);
    response.json({ offers: await listOffers(deps, organisationId, { limit: 100 }) });
  };
