import type { RequestHandler } from "express";
import { listParameters, listSchema } from "../../lists/list-query.ts";
import { parseBody } from "../../validation/parse-body.ts";
import type { PortalDeps } from "../person/portal-deps.ts";
import { signedInPerson } from "../person/signed-in-person.ts";
import { mailsCursor, readMails } from "./read-mails.ts";

const querySchema = listSchema(mailsCursor);

/** `GET /portal/mailbox`: newest first. */
export const mailboxRoute =
  (deps: PortalDeps): RequestHandler =>
  async (request, response) => {
    const person = await signedInPerson(deps, request, listParameters);
    const { rows: mails, next } = await readMails(deps, person, parseBody(querySchema, { ...request.query }));
    response.json({ mails, next });
  };
