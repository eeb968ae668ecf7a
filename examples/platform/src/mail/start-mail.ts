import { sql } from "kysely";
import { type Attempted, startDispatcher } from "../outbox/dispatcher.ts";
import type { Leases } from "../outbox/leases.ts";
import { alwaysOpen, type Lease, type OutboxQueue } from "../outbox/queue.ts";
import type { Loop } from "../outbox/timers.ts";
import type { Signals } from "../store/signals.ts";
import type { Store, Trx } from "../store/store.ts";

/** An email to send, from the table `mails`. */
interface Mail {
  id: number;
  to: string;
  subject: string;
  body: string;
  createdAt: Date;
}

/** Delivers emails over SMTP, or only to the mailbox page of the portal (D-78). */
export interface MailTransport {
  /** Sends one email, within a time limit. Rejects if it should be retried. @throws {MailRejectedError} if it should not be retried */
  send(mail: Mail): Promise<void>;
  close?(): Promise<void>;
}

/** Thrown if the mail server will never accept this email, for example because the mailbox does not exist. */
export class MailRejectedError extends Error {
  override readonly name = "MailRejectedError";
  readonly code = "mail_rejected";
}

/** A transport that does not send emails. The mailbox page of the portal shows them. */
export const mailboxTransport: MailTransport = { send: async () => undefined };

export interface MailOptions {
  store: Store;
  leases: Leases;
  /** Wakes the loop after each commit that enqueues emails. Without it, call `wake()`. */
  signals?: Pick<Signals, "subscribe">;
  transport: MailTransport;
  /** Called with errors, including those from the transport. Sending continues. */
  onError: (error: unknown) => void;
  /** The delay before the first retry, in milliseconds. Each further delay is three times as long. @default 60_000 */
  firstRetryMs?: number;
}

/** How many emails are sent concurrently, by all processes together: twice the number of connections of the SMTP transport. */
const capacity = 10;

/** The maximum number of attempts to send an email. After that, the email stays in the mailbox (D-78). */
export const maxMailAttempts = 8;

/** The queue of emails, with a single lane. */
export const emailQueue: OutboxQueue = {
  name: "mails",
  wokenBy: ["mail"],
  table: "mails",
  id: "id",
  laneState: alwaysOpen(capacity),
};

interface DueMail extends Mail {
  attempts: number;
}

type SentMail = Attempted<DueMail, "sent" | "retry" | "rejected">;

/** Sends emails until it is stopped. If the process crashes while sending an email, that email is sent again. */
export function startMail({ transport, firstRetryMs = 60_000, ...context }: MailOptions): Loop {
  const { store, onError } = context;
  return startDispatcher<DueMail, SentMail["result"]>({
    ...context,
    queue: emailQueue,
    maxInFlight: capacity,
    load: (claimed) => loadEmails(store, claimed),
    async attempt({ attempts: _, ...mail }) {
      try {
        await transport.send(mail);
        return "sent";
      } catch (error) {
        onError(error);
        return error instanceof MailRejectedError ? "rejected" : "retry";
      }
    },
    async settle(trx, attempted) {
      await settleEmails(trx, attempted, firstRetryMs);
      // Unlike webhooks, emails have no log records.
      return undefined;
    },
  });
}

async function loadEmails(store: Store, leases: readonly Lease[]): Promise<Map<number, DueMail>> {
  const ids = leases.map(({ rowId }) => rowId);
  const rows = await store.db
    .selectFrom("mails")
    .select(["id", "to_address as to", "subject", "body", "created_at as createdAt", "attempts"])
    .where("id", "in", ids)
    .execute();
  return new Map(rows.map((row) => [row.id, row]));
}

/** Stores the outcomes of attempts. Schedules a retry unless the email was sent, was rejected, or has used all of its attempts. */
async function settleEmails(trx: Trx, attemptedMails: readonly SentMail[], firstRetryMs: number): Promise<void> {
  const outcomes = attemptedMails.map(({ row: { id, attempts }, result }) => ({
    id,
    isSent: result === "sent",
    attempts: result === "rejected" ? maxMailAttempts : attempts + 1,
    retryInMs: result === "retry" && attempts + 1 < maxMailAttempts ? firstRetryMs * 3 ** attempts : null,
  }));
  await sql`
    update mails set
      attempts = outcome.attempts,
      sent_at = case when "isSent" then now() end,
      due_at = now() + "retryInMs" * interval '1 ms'
    from json_to_recordset(${JSON.stringify(outcomes)}::text::json)
      as outcome (id integer, "isSent" boolean, attempts integer, "retryInMs" float8)
    where mails.id = outcome.id`.execute(trx);
}
