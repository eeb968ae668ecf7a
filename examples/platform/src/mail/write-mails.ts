import { type Insertable, sql } from "kysely";
import { onlyLane, wakeLanes } from "../outbox/queue.ts";
import type { MailTable } from "../store/invitation-tables.ts";
import { announce, type Trx } from "../store/store.ts";

export type EmailToSend = Pick<Insertable<MailTable>, "to_address" | "subject" | "body">;

/** Enqueues emails in the caller's transaction. They are sent after the commit (D-78), which also updates the recipients' pages. */
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

/** An email digest: one email about everything that happened to its subject within a few minutes. */
export interface Digest {
  /** What the digest is about, such as an offer's id. At most one email about it is waiting. */
  key: string;
  at: Date;
  delayMinutes: number;
}

/** An email that is due earlier is not rewritten: it may be claimed before this transaction, which may take five seconds, commits. */
const soonest = sql<Date>`now() + interval '10 s'`;

/**
 * Enqueues an email that is sent after a delay, or rewrites the one that is waiting, in the caller's transaction. The caller
 * must hold a lock on the digest's subject.
 *
 * @param compose returns the email about everything since the given time
 */
export async function enqueueDigest(
  trx: Trx,
  { key, at, delayMinutes }: Digest,
  compose: (since: Date) => Promise<EmailToSend>,
): Promise<void> {
  const waiting = await trx
    .selectFrom("mails")
    .select(["id", "created_at"])
    .where("digest_of", "=", key)
    .where("due_at", ">", soonest)
    .forUpdate()
    .executeTakeFirst();
  if (waiting !== undefined) {
    const { subject, body } = await compose(waiting.created_at);
    await trx.updateTable("mails").set({ subject, body }).where("id", "=", waiting.id).execute();
    return;
  }
  const due = sql<Date>`now() + ${delayMinutes} * interval '1 minute'`;
  await trx
    .insertInto("mails")
    .values({ ...(await compose(at)), digest_of: key, created_at: at, due_at: due })
    .execute();
  await wakeLanes(trx, "mails", [onlyLane], due);
}
