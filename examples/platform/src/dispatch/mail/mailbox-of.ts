import { domainToASCII } from "node:url";

/** The part of an email address that says whose it is: one text for `Eli@example.com` and `eli+work@EXAMPLE.com`. */
export function mailboxOf(emailAddress: string): string {
  const [name = "", domain = ""] = emailAddress.normalize("NFKC").split("@");
  const host = domain.replace(/\.+$/, "");
  return `${name.replace(/(?<=.)\+.*$/, "")}@${domainToASCII(host) || host}`.toLowerCase();
}
