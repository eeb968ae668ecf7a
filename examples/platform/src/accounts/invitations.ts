import { domainToASCII } from "node:url";
import { invitationValidDays } from "../generated/decisions.ts";

const dayMs = 24 * 60 * 60 * 1_000;

/** Returns when the link in an invitation expires (D-122). */
export const invitationExpiry = (invitedAt: Date): Date => new Date(invitedAt.getTime() + invitationValidDays * dayMs);

/**
 * Returns an address in the form that identifies an account. Ignores only the case of ASCII letters, like PostgreSQL's `lower` in the
 * collation "C" (D-164). `toLowerCase` would turn the Kelvin sign into a k, which is a letter of someone else's address.
 */
export const toSignInAddress = (emailAddress: string): string =>
  emailAddress.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());

/** Normalises an email address to its mailbox: `Eli@example.com` and `eli+work@EXAMPLE.com` yield the same string. */
export function toMailbox(emailAddress: string): string {
  const [name = "", domain = ""] = emailAddress.normalize("NFKC").split("@");
  const nameWithoutTag = name.replace(/(?<=.)\+.*$/, "");
  const host = domain.replace(/\.+$/, "");
  const asciiHost = domainToASCII(host) || host;
  return `${nameWithoutTag}@${asciiHost}`.toLowerCase();
}
