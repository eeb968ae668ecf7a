import { type Insertable, sql } from "kysely";
import { onlyLane } from "../outbox/outbox-queue.ts";
import { wakeLanes } from "../outbox/wake-lanes.ts";
import { announce } from "../signals/announce.ts";
import type { Trx } from "../store/store.ts";
import type { MailTable } from "../store/tables.ts";

export type MailToWrite = Pick<Insertable<MailTable>, "to_address" | "subject" | "body">;

/** Writes mail in the caller's transaction. It is sent after the commit (D-78), which also updates the recipients' pages. */
export async function writeMails(trx: Trx, mails: readonly MailToWrite[]): Promise<void> {
  if (mails.length === 0) return;
  const due = mails.map((mail) => ({ ...mail, due_at: sql<Date>`now()` }));
  const rows = await trx
    .with("written", (db) => db.insertInto("mails").values(due).returning("to_address"))
    .selectFrom("written")
    .leftJoin("person_email_addresses", (join) => join.on("email_address", "=", sql<string>`lower(to_address)`))
    .leftJoin("people", "people.id", "person_id")
    .select("organisation_id as organisationId")
    .distinct()
    .execute();
  await wakeLanes(trx, "mails", [onlyLane]);
  for (const { organisationId } of rows) announce(trx, { topic: "mail", organisationId: organisationId ?? undefined });
}
