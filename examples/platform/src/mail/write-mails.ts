import { type Insertable, type RawBuilder, sql } from "kysely";
import { onlyLane, wakeLanes } from "../outbox/queue.ts";
import type { MailTable } from "../store/invitation-tables.ts";
import { announce, type Trx } from "../store/store.ts";

export type EmailToSend = Pick<Insertable<MailTable>, "to_address" | "subject" | "body">;

/** Enqueues emails in the caller's transaction, to be sent after the commit (D-78), and announces them to the recipients' pages. */
export async function enqueueEmails(trx: Trx, emails: readonly EmailToSend[]): Promise<void> {
  if (emails.length === 0) return;
  const dueEmails = emails.map((email) => ({ ...email, due_at: sql<Date>`now()` }));
  const rows = await trx
    .with("inserted", (db) => db.insertInto("mails").values(dueEmails).returning("to_address"))
    .selectFrom("inserted")
    .leftJoin("person_email_addresses", (join) =>
      join.on("email_address", "=", sql<string>`lower(to_address collate "C")`),
    )
    .leftJoin("people", "people.id", "person_id")
    .select("organisation_id as organisationId")
    .distinct()
    .execute();
  await wakeLanes(trx, "mails", [onlyLane]);
  for (const { organisationId } of rows) announce(trx, { topic: "mail", organisationId: organisationId ?? undefined });
}

/** An email digest: one email about everything that happens to a row within a few minutes, such as the responses to an offer. */
export interface Digest {
  /** The id of the row that the digest is about, such as an offer. Each key has at most one pending digest. */
  key: string;
  delayMinutes: number;
}

/** A time, or a SQL expression for it. */
export type Moment = Date | RawBuilder<Date>;

/** A pending email must not be changed if it is due before this time, because a claim could send it before this transaction commits. */
export const earliestChangeableDue = sql<Date>`now() + interval '10 s'`;

/**
 * Enqueues a delayed email, or rewrites the pending one, in the caller's transaction. The caller must hold a lock on the row
 * that the digest is about, such as the offer.
 *
 * @param compose returns the email about everything that has happened since the given time
 */
export async function enqueueDigest(
  trx: Trx,
  { key, delayMinutes }: Digest,
  compose: (since: Moment) => Promise<EmailToSend>,
): Promise<void> {
  const pending = await trx
    .selectFrom("mails")
    .select(["id", "created_at"])
    .where("digest_of", "=", key)
    .where("due_at", ">", earliestChangeableDue)
    .forUpdate()
    .executeTakeFirst();
  if (pending !== undefined) {
    const { subject, body } = await compose(pending.created_at);
    await trx.updateTable("mails").set({ subject, body }).where("id", "=", pending.id).execute();
    return;
  }
  const dueAt = sql<Date>`now() + ${delayMinutes} * interval '1 minute'`;
  await trx
    .insertInto("mails")
    .values({ ...(await compose(sql<Date>`now()`)), digest_of: key, due_at: dueAt })
    .execute();
  await wakeLanes(trx, "mails", [onlyLane], dueAt);
}
