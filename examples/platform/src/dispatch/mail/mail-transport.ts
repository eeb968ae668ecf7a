/** A row of `mails`. */
export interface Mail {
  id: number;
  to: string;
  subject: string;
  body: string;
  createdAt: Date;
}

/** Sends mail (D-78). */
export interface MailTransport {
  /** Rejects when it should be retried. @throws {MailRejectedError} when a retry cannot help */
  send(mail: Mail): Promise<void>;
  close?(): Promise<void>;
}

/** The mail server will never accept this mail, because the mailbox does not exist, for example. */
export class MailRejectedError extends Error {
  override readonly name = "MailRejectedError";
  readonly code = "mail_rejected";
}

/** Sends nothing: the portal's mailbox page reads the rows. */
export const mailboxTransport: MailTransport = { send: async () => undefined };
