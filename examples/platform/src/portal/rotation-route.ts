import type { RequestHandler } from "express";
import type { PortalDeps } from "./portal-deps.ts";
import { readProfile } from "./profile-view.ts";
import { rotateSecret } from "./rotate-secret.ts";
import { signedInPerson } from "./signed-in-person.ts";

/** `POST /portal/profile/rotation` */
export const rotateSecretRoute =
  (deps: PortalDeps): RequestHandler =>
  async (request, response) => {
    const person = await signedInPerson(deps, request);
    const checks = await rotateSecret(deps, person, await deps.readJson(request, response));
    response.json({ ...(await readProfile(deps, person)), checks });
  };
