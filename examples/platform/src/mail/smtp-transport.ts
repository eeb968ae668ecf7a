import { createTransport } from "nodemailer";
import { MailRefused, type MailTransport } from "./mail-transport.ts";

export interface SmtpOptions {
  /** `smtp://user:password@host:587`, or `smtps:` for TLS from the first byte. */
  url: string;
  /** The sender's address. */
  from: string;
}

const timeouts = { dnsTimeout: 5_000, connectionTimeout: 5_000, greetingTimeout: 5_000, socketTimeout: 10_000 };

/** Sends over SMTP. A mail's Message-ID stays when it is sent again, so that a mailbox may know it. */
export function smtpTransport({ url, from }: SmtpOptions): MailTransport {
  const transport = createTransport({
    ...{ url, pool: true, maxConnections: 5, ...timeouts },
    // A mail's text is never a file's path or an address to fetch.
    ...{ disableFileAccess: true, disableUrlAccess: true },
  });
  const domain = from.slice(from.lastIndexOf("@") + 1);
  return {
    async send({ id, to, subject, body, createdAt }) {
      const messageId = `<mail-${id}.${createdAt.getTime()}@${domain}>`;
      // As an object, an address with a comma is still one.
      const addresses = { from: { name: "", address: from }, to: { name: "", address: to } };
      try {
        await transport.sendMail({ ...addresses, subject, text: body, messageId, date: createdAt });
      } catch (error) {
        throw isFinal(error) ? new MailRefused("the mail server refuses this mail", { cause: error }) : error;
      }
    },
    close: async () => transport.close(),
  };
}

/** A 5xx to this mail's addresses or text. One to the platform's own sign-in is not the mail's fault. */
function isFinal(error: unknown): boolean {
  const { code, responseCode } = Object(error) as { code?: unknown; responseCode?: unknown };
  return (code === "EENVELOPE" || code === "EMESSAGE") && Number(responseCode) >= 500;
}
