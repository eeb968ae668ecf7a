import type { RequestHandler } from "express";
import type { PortalDeps } from "./portal-deps.ts";
import { readProfile } from "./profile-view.ts";
import { saveProfile } from "./save-profile.ts";
import { signedInPerson } from "./signed-in-person.ts";

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
