import type { RequestHandler } from "express";
import { sql } from "kysely";
import type { PortalDeps } from "./portal-deps.ts";
import { emailAddressesOf, signedInPerson } from "./signed-in-person.ts";

const limit = 100;

/** `GET /portal/mailbox`: mail to the signed-in person, newest first; in development, everybody's. */
export const mailboxRoute =
  (deps: PortalDeps): RequestHandler =>
  async (request, response) => {
    const person = await signedInPerson(deps, request);
    const addresses = await emailAddressesOf(deps, person);
    const mails = await deps.store.db
      .selectFrom("mails")
      .select(["id", "to_address as to", "subject", "body", "created_at as sentAt"])
      .$if(!deps.showAllMail, (query) => query.where(sql`lower(to_address)`, "in", addresses))
      .orderBy("id", "desc")
      .limit(limit)
      .execute();
    response.json({ mails });
  };
