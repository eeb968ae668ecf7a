import { type Insertable, sql } from "kysely";
import { onlyLane } from "../outbox/outbox-queue.ts";
import { wakeLanes } from "../outbox/wake-lanes.ts";
import type { Trx } from "../store/store.ts";
import type { MailTable } from "../store/tables.ts";

export type MailToPost = Pick<Insertable<MailTable>, "to_address" | "subject" | "body">;

/** Writes mails in the caller's transaction, to be sent after its commit (D-78). */
export async function postMails(trx: Trx, mails: readonly MailToPost[]): Promise<void> {
  if (mails.length === 0) return;
  const rows = mails.map((mail) => ({ ...mail, due_at: sql<Date>`now()` }));
  await trx.insertInto("mails").values(rows).execute();
  await wakeLanes(trx, "mails", [onlyLane]);
}
