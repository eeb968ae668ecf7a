import { domainToASCII } from "node:url";

/** Identifies the mailbox of an email address: `Eli@example.com` and `eli+work@EXAMPLE.com` have the same. */
export function mailboxOf(emailAddress: string): string {
  const [name = "", domain = ""] = emailAddress.normalize("NFKC").split("@");
  const host = domain.replace(/\.+$/, "");
  return `${name.replace(/(?<=.)\+.*$/, "")}@${domainToASCII(host) || host}`.toLowerCase();
}
