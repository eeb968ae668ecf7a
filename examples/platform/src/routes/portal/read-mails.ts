import { type SqlBool, sql } from "kysely";
import { createListCursor, type ListPage } from "../../http/list-cursor.ts";
import { type PortalDeps, readEmailAddresses, type SignedInPerson } from "./person.ts";

const cursor = createListCursor("mails", /^$/);

/** Reads emails to the user, newest first, or all emails if `showAllMail` is set. */
async function readMails(deps: PortalDeps, person: SignedInPerson, { before, limit }: ListPage) {
  const addresses = await readEmailAddresses(deps, person);
  const emails = await deps.store.db
    .selectFrom("mails")
    .select(["id", "to_address as to", "subject", "body", "created_at as createdAt", "sent_at as sentAt"])
    // An email that is neither sent nor due has been given up (D-78).
    .select(sql<boolean>`sent_at is null and due_at is null`.as("hasFailed"))
    .$if(!deps.showAllMail, (query) => query.where(sql`lower(to_address collate "C")`, "in", addresses))
    // Leave out digests that are still collecting responses.
    .where(sql<SqlBool>`(due_at is null or due_at <= now() or digest_of is null)`)
    // Compare as bigint, because a cursor may exceed the column's integer range.
    .$if(before !== undefined, (query) => query.where(sql<SqlBool>`id < ${before?.position}::bigint`))
    .orderBy("id", "desc")
    .limit(limit + 1)
    .execute();
  return cursor.toPage(emails, limit, ({ id }) => ({ position: id, id: "" }));
}

export const mailList = { cursor, read: readMails };
