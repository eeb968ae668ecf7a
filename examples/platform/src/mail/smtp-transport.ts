import { createTransport } from "nodemailer";
import { MailRejectedError, type MailTransport } from "./start-mail.ts";

export interface SmtpOptions {
  /** `smtp://user:password@host:587`, or `smtps:` for implicit TLS. */
  url: string;
  /** The sender's email address. */
  from: string;
  /**
   * The time limit for one email, in milliseconds. It limits how long a shutdown takes (D-71). After that, the connection is closed,
   * because the server could otherwise still accept an email that is sent again.
   *
   * @default 12_000
   */
  timeoutMs?: number;
}

/** Keeps programs that answer mail, such as absence notices, from answering (RFC 3834, 5). */
const headers = { "Auto-Submitted": "auto-generated" };

const timeouts = { dnsTimeout: 5_000, connectionTimeout: 5_000, greetingTimeout: 5_000, socketTimeout: 10_000 };

/** Creates a transport that sends emails over SMTP. A retry has the same Message-ID, so that the mail server can recognise it. */
export function createSmtpTransport({ url, from, timeoutMs = 12_000 }: SmtpOptions): MailTransport {
  const transport = createTransport({
    url,
    pool: true,
    maxConnections: 5,
    ...timeouts,
    // The content of an email must not make nodemailer read files or fetch URLs.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const domain = from.slice(from.lastIndexOf("@") + 1);
  return {
    async send({ id, to, subject, body, createdAt }) {
      const messageId = `<mail-${id}.${createdAt.getTime()}@${domain}>`;
      // Use objects, because nodemailer parses a string that contains a comma as two addresses.
      const addresses = { from: { name: "", address: from }, to: { name: "", address: to } };
      try {
        const signal = AbortSignal.timeout(timeoutMs);
        await transport.sendMail({ ...addresses, subject, text: body, messageId, date: createdAt, headers, signal });
      } catch (error) {
        throw isRecipientRejected(error)
          ? new MailRejectedError("the mail server rejected this email", { cause: error })
          : error;
      }
    },
    close: async () => transport.close(),
  };
}

/**
 * Matches a response to a recipient that will never be accepted (RFC 3463, 3.2 and 3.3). Leaves out 5.1.0, 5.1.7 and 5.1.8, which servers
 * such as Postfix use for the sender's address, even in response to a recipient.
 */
const recipientRejection = /^5\d\d[ -]5\.(?:1\.(?:[1-6]|10)|2\.1)\s/;

/**
 * Returns whether the server rejected the recipient's address. Everything else can be retried, even with a 5xx: it is about the platform's
 * address, password, quota or reputation, or about the server's policy.
 */
function isRecipientRejected(error: unknown): boolean {
  const { command, response } = error as { command?: unknown; response?: unknown };
  return command === "RCPT TO" && recipientRejection.test(String(response));
}
