import { randomUUID } from "node:crypto";
import { z } from "zod";
import { emailAddressSchema } from "../generated/schemas.ts";
import { lineField, textField } from "../http/text-field.ts";
import { type Listed, type ListPart, listCursor } from "../lists/list-cursor.ts";
import { microsecondsOf, olderThan } from "../lists/older-than.ts";
import { ProblemError } from "../problem/problem-error.ts";
import type { Trx } from "../store/store.ts";
import type { PortalDeps } from "./portal-deps.ts";
import type { SignedInPerson } from "./signed-in-person.ts";

/** People picked from one organisation's suggestions. */
export const picksSchema = z.strictObject({
  organisationId: textField,
  people: z
    .array(z.strictObject({ name: lineField, emailAddress: emailAddressSchema }))
    .min(1)
    .max(100),
});

export type Picks = z.infer<typeof picksSchema>;

/**
 * Sends a mail to everybody picked, in the name of the person who invites, in the caller's transaction.
 *
 * @throws {ProblemError} `organisation_not_found`
 */
export async function invite(
  trx: Trx,
  { now }: Pick<PortalDeps, "now">,
  person: SignedInPerson,
  { organisationId, people: picked }: Picks,
) {
  // Whoever was picked twice gets one mail.
  const people = [...new Map(picked.map((one) => [one.emailAddress.toLowerCase(), one])).values()];
  const suggestedBy = await trx
    .selectFrom("endpoints")
    .select("organisation_id as id")
    .where("organisation_id", "=", organisationId)
    .where("suggests_contacts", "=", true)
    .executeTakeFirst();
  if (suggestedBy === undefined)
    throw new ProblemError("organisation_not_found", "No organisation with this id implements suggestions.");
  const invitations = people.map(({ name, emailAddress }) => ({
    id: `invitation_${randomUUID()}`,
    organisation_id: person.organisationId,
    invited_by: person.id,
    suggested_by: suggestedBy.id,
    name,
    email_address: emailAddress,
    created_at: now(),
  }));
  const mails = people.map(({ name, emailAddress }) => ({
    to_address: emailAddress,
    subject: `${person.organisationName} invites you`,
    body: `Dear ${name},\n\n${person.name} of ${person.organisationName} invites you to share your availability.\n`,
  }));
  await trx.insertInto("invitations").values(invitations).execute();
  await trx.insertInto("mails").values(mails).execute();
  return invitations.map(({ id, name, email_address: emailAddress }) => ({ id, name, emailAddress }));
}

export const invitationsCursor = listCursor("invitations", /./);

export interface ListedInvitation {
  id: string;
  name: string;
  emailAddress: string;
  suggestedBy: string;
  invitedAt: Date;
}

/** Whom the organisation has invited, the latest first. */
export async function listInvitations(
  { store }: PortalDeps,
  { organisationId }: SignedInPerson,
  { before, limit }: ListPart,
): Promise<Listed<ListedInvitation>> {
  const read = await store.db
    .selectFrom("invitations")
    .innerJoin("organisations", "organisations.id", "suggested_by")
    .select(["invitations.id", "invitations.name", "email_address as emailAddress"])
    .select(["organisations.name as suggestedBy", "invitations.created_at as invitedAt"])
    .select(microsecondsOf("invitations.created_at").as("position"))
    .where("organisation_id", "=", organisationId)
    .where(olderThan(["invitations.created_at", "invitations.id"], before))
    .orderBy("invitations.created_at", "desc")
    .orderBy("invitations.id", "desc")
    .limit(limit + 1)
    .execute();
  const { rows, next } = invitationsCursor.cut(read, limit, (row) => row);
  return { rows: rows.map(({ position: _, ...row }) => row), next };
}

/** The addresses of all whom the organisation has invited, in lower case. */
export async function invitedAddresses(
  { store }: PortalDeps,
  { organisationId }: SignedInPerson,
): Promise<Set<string>> {
  const rows = await store.db
    .selectFrom("invitations")
    .select(({ fn }) => fn<string>("lower", ["email_address"]).as("emailAddress"))
    .distinct()
    .where("organisation_id", "=", organisationId)
    .execute();
  return new Set(rows.map(({ emailAddress }) => emailAddress));
}
