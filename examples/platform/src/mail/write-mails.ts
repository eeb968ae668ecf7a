import { type Insertable, sql } from "kysely";
import { onlyLane, wakeLanes } from "../outbox/queue.ts";
import type { MailTable } from "../store/invitation-tables.ts";
import { announce, type Trx } from "../store/store.ts";

export type EmailToSend = Pick<Insertable<MailTable>, "to_address" | "subject" | "body">;

/** Enqueues emails in the caller's transaction, to be sent after the commit (D-78), and announces them to the recipients' pages. */
export async function enqueueEmails(trx: Trx, emails: readonly EmailToSend[]): Promise<void> {
  if (emails.length === 0) return;
  const due = emails.map((mail) => ({ ...mail, due_at: sql<Date>`now()` }));
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

/** An email digest: one email about everything that happens to an offer, for example, within a few minutes. */
export interface Digest {
  /** The id of the row that the digest is about, such as an offer. Each key has at most one pending digest. */
  key: string;
  at: Date;
  delayMinutes: number;
}

/** Emails that are due earlier are not rewritten: they may be claimed before this transaction commits, which may take five seconds. */
const earliestDue = sql<Date>`now() + interval '10 s'`;

/**
 * Enqueues a delayed email, or rewrites the pending one, in the caller's transaction. The caller must hold a lock on the row
 * that the digest is about, such as the offer.
 *
 * @param compose returns the email about everything that has happened since the given time
 */
export async function enqueueDigest(
  trx: Trx,
  { key, at, delayMinutes }: Digest,
  compose: (since: Date) => Promise<EmailToSend>,
): Promise<void> {
  const pending = await trx
    .selectFrom("mails")
    .select(["id", "created_at"])
    .where("digest_of", "=", key)
    .where("due_at", ">", earliestDue)
    .forUpdate()
    .executeTakeFirst();
  if (pending !== undefined) {
    const { subject, body } = await compose(pending.created_at);
    await trx.updateTable("mails").set({ subject, body }).where("id", "=", pending.id).execute();
    return;
  }
  const due = sql<Date>`now() + ${delayMinutes} * interval '1 minute'`;
  await trx
    .insertInto("mails")
    .values({ ...(await compose(at)), digest_of: key, created_at: at, due_at: due })
    .execute();
  await wakeLanes(trx, "mails", [onlyLane], due);
}
