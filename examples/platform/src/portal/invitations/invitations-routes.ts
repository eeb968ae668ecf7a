import type { RequestHandler } from "express";
import { listParameters, listSchema } from "../../lists/list-query.ts";
import { commitAndPublish } from "../../offers/commit-and-publish.ts";
import { parseBody } from "../../validation/parse-body.ts";
import type { PortalDeps } from "../person/portal-deps.ts";
import { signedInPerson } from "../person/signed-in-person.ts";
import { invitationsCursor, invite, listInvitations, picksSchema } from "./invitations.ts";

/** `POST /portal/invitations`: invites people from one organisation's suggestions by mail. */
export const inviteRoute =
  (deps: PortalDeps): RequestHandler =>
  async (request, response) => {
    const person = await signedInPerson(deps, request);
    const picks = parseBody(picksSchema, await deps.readJson(request, response));
    response.status(201).json({ invitations: await commitAndPublish(deps, (trx) => invite(trx, deps, person, picks)) });
  };

const querySchema = listSchema(invitationsCursor);

/** `GET /portal/invitations`: newest first. */
export const listInvitationsRoute =
  (deps: PortalDeps): RequestHandler =>
  async (request, response) => {
    const person = await signedInPerson(deps, request, listParameters);
    const { rows, next } = await listInvitations(deps, person, parseBody(querySchema, { ...request.query }));
    response.json({ invitations: rows, next });
  };
