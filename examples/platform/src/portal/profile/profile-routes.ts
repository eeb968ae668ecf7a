import type { RequestHandler } from "express";
import type { PortalDeps } from "../person/portal-deps.ts";
import { signedInPerson } from "../person/signed-in-person.ts";
import { readProfile } from "./profile-view.ts";
import { reenableEndpoint } from "./reenable-endpoint.ts";
import { rotateSecret } from "./rotate-secret.ts";
import { saveProfile } from "./save-profile.ts";

/** `GET /portal/profile` */
export const readProfileRoute =
  (deps: PortalDeps): RequestHandler =>
  async (request, response) => {
    const person = await signedInPerson(deps, request);
    response.json(await readProfile(deps, person));
  };

/** `PUT /portal/profile` */
export const saveProfileRoute =
  (deps: PortalDeps): RequestHandler =>
  async (request, response) => {
    const person = await signedInPerson(deps, request);
    const checks = await saveProfile(deps, person, await deps.readJson(request, response));
    response.json({ ...(await readProfile(deps, person)), checks });
  };

/** `POST /portal/profile/rotation` */
export const rotateSecretRoute =
  (deps: PortalDeps): RequestHandler =>
  async (request, response) => {
    const person = await signedInPerson(deps, request);
    const checks = await rotateSecret(deps, person, await deps.readJson(request, response));
    response.json({ ...(await readProfile(deps, person)), checks });
  };

/** `POST /portal/profile/enable` */
export const enableEndpointRoute =
  (deps: PortalDeps): RequestHandler =>
  async (request, response) => {
    const person = await signedInPerson(deps, request);
    const checks = await reenableEndpoint(deps, person);
    response.json({ ...(await readProfile(deps, person)), checks });
  };
