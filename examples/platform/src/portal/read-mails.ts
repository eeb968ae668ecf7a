import { sql } from "kysely";
import type { PortalDeps } from "./portal-deps.ts";
import { emailAddressesOf, type SignedInPerson } from "./signed-in-person.ts";

const limit = 100;

/** Mail to the person, newest first; in development, everybody's. */
export async function readMails(deps: PortalDeps, person: SignedInPerson) {
  const addresses = await emailAddressesOf(deps, person);
  return await deps.store.db
    .selectFrom("mails")
    .select(["id", "to_address as to", "subject", "body", "created_at as sentAt"])
    .$if(!deps.showAllMail, (query) => query.where(sql`lower(to_address)`, "in", addresses))
    .orderBy("id", "desc")
    .limit(limit)
    .execute();
}
