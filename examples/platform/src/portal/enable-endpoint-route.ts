import type { RequestHandler } from "express";
import { enableAgain } from "./enable-again.ts";
import type { PortalDeps } from "./portal-deps.ts";
import { readProfile } from "./profile-view.ts";
import { signedInPerson } from "./signed-in-person.ts";

/** `POST /portal/profile/enable` */
export const enableEndpointRoute =
  (deps: PortalDeps): RequestHandler =>
  async (request, response) => {
    const person = await signedInPerson(deps, request);
    const checks = await enableAgain(deps, person);
    response.json({ ...(await readProfile(deps, person)), checks });
  };
