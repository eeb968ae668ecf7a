import type { RequestHandler } from "express";
import type { PortalDeps } from "./portal-deps.ts";
import { readMails } from "./read-mails.ts";
import { signedInPerson } from "./signed-in-person.ts";

/** `GET /portal/mailbox`: the latest. */
export const mailboxRoute =
  (deps: PortalDeps): RequestHandler =>
  async (request, response) => {
    const person = await signedInPerson(deps, request);
    response.json({ mails: await readMails(deps, person, { limit: 100 }) });
  };
