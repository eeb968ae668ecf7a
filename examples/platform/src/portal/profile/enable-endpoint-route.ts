import type { RequestHandler } from "express";
import type { PortalDeps } from "../person/portal-deps.ts";
import { signedInPerson } from "../person/signed-in-person.ts";
import { readProfile } from "./profile-view.ts";
import { reenableEndpoint } from "./reenable-endpoint.ts";

/** `POST /portal/profile/enable` */
export const enableEndpointRoute =
  (deps: PortalDeps): RequestHandler =>
  async (request, response) => {
    const person = await signedInPerson(deps, request);
    const checks = await reenableEndpoint(deps, person);
    response.json({ ...(await readProfile(deps, person)), checks });
  };
