import { randomUUID } from "node:crypto";
import { z } from "zod";
import { emailAddressSchema } from "../generated/schemas.ts";
import { lineField, textField } from "../http/text-field.ts";
import { ProblemError } from "../problem/problem-error.ts";
import type { Trx } from "../store/store.ts";
import { type ListPart, olderThan } from "./older-than.ts";
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

/** Whom the organisation has invited, the latest first; all of them unless a part is asked for. */
export const listInvitations = (
  { store }: PortalDeps,
  { organisationId }: SignedInPerson,
  { before, limit }: Partial<ListPart> = {},
) =>
  store.db
    .selectFrom("invitations")
    .innerJoin("organisations", "organisations.id", "suggested_by")
    .select(["invitations.id", "invitations.name", "email_address as emailAddress"])
    .select(["organisations.name as suggestedBy", "invitations.created_at as invitedAt"])
    .where("organisation_id", "=", organisationId)
    .$if(before !== undefined, (query) => query.where(olderThan("invitations", organisationId, before ?? "")))
    .orderBy("invitations.created_at", "desc")
    .orderBy("invitations.id", "desc")
    .$if(limit !== undefined, (query) => query.limit(limit ?? 0))
    .execute();
