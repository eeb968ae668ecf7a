import type { RequestHandler } from "express";
import { parseBody } from "../http/parse-body.ts";
import { commit } from "../offers/commit.ts";
import { invite, listInvitations, picksSchema } from "./invitations.ts";
import type { PortalDeps } from "./portal-deps.ts";
import { signedInPerson } from "./signed-in-person.ts";

/** `POST /portal/invitations`: people picked from one organisation's suggestions get a mail each. */
export const inviteRoute =
  (deps: PortalDeps): RequestHandler =>
  async (request, response) => {
    const person = await signedInPerson(deps, request);
    const picks = parseBody(picksSchema, await deps.readJson(request, response));
    response.status(201).json({ invitations: await commit(deps, (trx) => invite(trx, deps, person, picks)) });
  };

/** `GET /portal/invitations` */
export const listInvitationsRoute =
  (deps: PortalDeps): RequestHandler =>
  async (request, response) => {
    const person = await signedInPerson(deps, request);
    response.json({ invitations: await listInvitations(deps, person) });
  };
