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
        await transport.sendMail({ ...addresses, subject, text: body, messageId, date: createdAt, signal });
      } catch (error) {
        throw isPermanent(error)
          ? new MailRejectedError("the mail server rejected this email", { cause: error })
          : error;
      }
    },
    close: async () => transport.close(),
  };
}

/** Returns whether the server rejected the email itself with a 5xx. A 5xx for the platform's sign-in can be retried. */
function isPermanent(error: unknown): boolean {
  const { code, responseCode } = error as { code?: unknown; responseCode?: unknown };
  return (code === "EENVELOPE" || code === "EMESSAGE") && Number(responseCode) >= 500;
}
