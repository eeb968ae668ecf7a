import { sql } from "kysely";
import { inTime } from "../in-time.ts";
import { type Loop, runLoop } from "../queue/run-loop.ts";
import type { Store } from "../store/store.ts";
import { type Mail, MailRefused, type MailTransport } from "./mail-transport.ts";

export interface MailOptions {
  store: Store;
  transport: MailTransport;
  /** Told of trouble, also of a transport that refused. The work goes on. */
  onError: (error: unknown) => void;
  /** The pause after the first refusal, longer than an attempt; each further one is three times as long. @default 60_000 */
  firstRetryMs?: number;
  /** How often to look for mail. @default 1_000 */
  idleMs?: number;
  now: () => Date;
}

/** Twice the connections of the transport. */
const batchSize = 10;

/** For one mail, so that stopping takes no longer (D-71). */
const sendLimitMs = 12_000;

/** Eight attempts over two days; then the mail stays in the mailbox (D-78). */
export const maxMailAttempts = 8;

interface ClaimedMail extends Mail {
  attempts: number;
}

/** Sends mail until it is stopped. At least once: whoever dies in the middle of it leaves the mail for a later attempt. */
export function startMail({ store, transport, onError, now, ...options }: MailOptions): Loop {
  const { firstRetryMs = 60_000, idleMs = 1_000 } = options;

  const send = async ({ attempts, ...mail }: ClaimedMail): Promise<void> => {
    try {
      await inTime(transport.send(mail), sendLimitMs);
      await store.db.updateTable("mails").set({ sent_at: now() }).where("id", "=", mail.id).execute();
    } catch (error) {
      onError(error);
      if (error instanceof MailRefused)
        await store.db.updateTable("mails").set({ attempts: maxMailAttempts }).where("id", "=", mail.id).execute();
    }
  };

  const tick = async (): Promise<boolean> => {
    const mails = await claim(store, now(), firstRetryMs);
    await Promise.all(mails.map(send));
    return mails.length === batchSize;
  };
  return runLoop(tick, { idleMs, onError });
}

/** Takes due mail for this process: to the others it is due again after the pause that follows a failure. */
async function claim(store: Store, now: Date, firstRetryMs: number): Promise<ClaimedMail[]> {
  const { rows } = await sql<ClaimedMail>`
    update mails set
      attempts = attempts + 1,
      next_attempt_at = ${now}::timestamptz + make_interval(secs => ${firstRetryMs / 1_000} * 3 ^ attempts)
    where id in (
      select id from mails
      where sent_at is null and attempts < ${sql.lit(maxMailAttempts)} and next_attempt_at <= ${now}
      order by next_attempt_at
      limit ${sql.lit(batchSize)}
      for update skip locked
    )
    returning id, to_address as "to", subject, body, created_at as "createdAt", attempts`.execute(store.db);
  return rows;
}
