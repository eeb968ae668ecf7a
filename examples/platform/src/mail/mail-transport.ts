/** One mail as its row has it. */
export interface Mail {
  id: number;
  to: string;
  subject: string;
  body: string;
  createdAt: Date;
}

/** A way for mail to go out (D-78). */
export interface MailTransport {
  /** Rejects when it should be tried again. @throws {MailRefused} when that cannot help */
  send(mail: Mail): Promise<void>;
  close?(): Promise<void>;
}

/** The mail server will never take this mail: no such mailbox, say. */
export class MailRefused extends Error {
  override readonly name = "MailRefused";
  readonly code = "mail_refused";
}

/** The portal's mailbox page reads the rows themselves: there is nothing to carry. */
export const mailboxTransport: MailTransport = { send: async () => undefined };
