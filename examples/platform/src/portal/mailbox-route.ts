import type { RequestHandler } from "express";
import { parseBody } from "../http/parse-body.ts";
import { listParameters, listSchema } from "../lists/list-query.ts";
import type { PortalDeps } from "./portal-deps.ts";
import { mailsCursor, readMails } from "./read-mails.ts";
import { signedInPerson } from "./signed-in-person.ts";

const querySchema = listSchema(mailsCursor);

/** `GET /portal/mailbox`: newest first. */
export const mailboxRoute =
  (deps: PortalDeps): RequestHandler =>
  async (request, response) => {
    const person = await signedInPerson(deps, request, listParameters);
    const { rows: mails, next } = await readMails(deps, person, parseBody(querySchema, { ...request.query }));
    response.json({ mails, next });
  };
