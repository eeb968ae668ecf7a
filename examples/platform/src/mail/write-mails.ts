import { type Insertable, sql } from "kysely";
import { announce } from "../signals/announce.ts";
import type { Trx } from "../store/store.ts";
import type { MailTable } from "../store/tables.ts";

/** Writes mail in the caller's transaction, and announces it to the organisations whose people it is for. */
export async function writeMails(trx: Trx, mails: readonly Insertable<MailTable>[]): Promise<void> {
  const rows = await trx
    .with("written", (db) => db.insertInto("mails").values(mails).returning("to_address"))
    .selectFrom("written")
    .leftJoin("person_email_addresses", (join) => join.on("email_address", "=", sql<string>`lower(to_address)`))
    .leftJoin("people", "people.id", "person_id")
    .select("organisation_id as organisationId")
    .distinct()
    .execute();
  for (const { organisationId } of rows) announce(trx, { topic: "mail", organisationId: organisationId ?? undefined });
}
