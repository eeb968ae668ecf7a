import { sql } from "kysely";
import type { PortalDeps } from "./portal-deps.ts";
import { emailAddressesOf, type SignedInPerson } from "./signed-in-person.ts";

export interface MailsAsked {
  /** The last id of the part before. */
  before?: number | undefined;
  limit: number;
}

/** Mail to the person, newest first; in development, everybody's. */
export async function readMails(deps: PortalDeps, person: SignedInPerson, { before, limit }: MailsAsked) {
  const addresses = await emailAddressesOf(deps, person);
  return await deps.store.db
    .selectFrom("mails")
    .select(["id", "to_address as to", "subject", "body", "created_at as sentAt"])
    .$if(!deps.showAllMail, (query) => query.where(sql`lower(to_address)`, "in", addresses))
    .$if(before !== undefined, (query) => query.where("id", "<", before ?? 0))
    .orderBy("id", "desc")
    .limit(limit)
    .execute();
}
