import { randomBytes, randomUUID } from "node:crypto";
import { emailAddressSchema } from "@offers/contract/schemas";
import { z } from "zod";
import { invitationExpiry, toMailbox } from "../../../accounts/invitations.ts";
import { invitationsPerDay, repeatInvitationDays } from "../../../generated/decisions.ts";
import { lineField, textField } from "../../../http/fields.ts";
import { epochMicroseconds, olderThan } from "../../../http/keyset.ts";
import { createListCursor, type ListPage } from "../../../http/list-cursor.ts";
import { type ProblemCode, ProblemError } from "../../../http/problem.ts";
import { greeting } from "../../../mail/mail-text.ts";
import { enqueueEmails } from "../../../mail/write-mails.ts";
import { sha256 } from "../../../store/encrypt.ts";
import type { Store, Trx } from "../../../store/store.ts";
import { timeFormats } from "../../../time-zones/time-formats.ts";
import { defaultTimeZone } from "../../../time-zones/time-zone.ts";
import type { PortalDeps, SignedInPerson } from "../person.ts";
import { findUnsuggested } from "./shown-suggestions.ts";

/** The people who were selected from one organisation's suggestions. */
export const invitationSchema = z.strictObject({
  organisationId: textField,
  people: z
    .array(z.strictObject({ name: lineField, emailAddress: emailAddressSchema }))
    .min(1)
    .max(100),
});

/**
 * Invites all selected people by email, in the caller's transaction.
 *
 * @throws {ProblemError} `organisation_not_found`, `contact_not_suggested`, `already_invited` or `too_many_invitations`
 */
export async function invite(
  trx: Trx,
  { now, linkTo }: Pick<PortalDeps, "now" | "linkTo">,
  person: SignedInPerson,
  { organisationId, people: selectedPeople }: z.infer<typeof invitationSchema>,
) {
  await requireSuggestingOrganisation(trx, organisationId);
  rejectPeopleAt(await findUnsuggested(trx, person.sessionId, organisationId, selectedPeople), {
    code: "contact_not_suggested",
    detail: "Select people from a search in this session, or search again.",
    remedy: "No search in this session suggested this person.",
  });
  const createdAt = now();
  const mailboxes = selectedPeople.map(({ emailAddress }) => toMailbox(emailAddress));
  await checkInvitationLimits(trx, person, mailboxes, createdAt);
  // Invite a person who is selected twice only once.
  const uniquePeople = selectedPeople.filter(
    ({ emailAddress }, index) => mailboxes.indexOf(toMailbox(emailAddress)) === index,
  );
  const invitees = uniquePeople.map((invitee) => ({ ...invitee, token: randomBytes(32).toString("base64url") }));
  const invitations = invitees.map(({ name, emailAddress, token }) => ({
    id: `invitation_${randomUUID()}`,
    organisation_id: person.organisationId,
    invited_by: person.id,
    suggested_by: organisationId,
    name,
    email_address: emailAddress,
    mailbox: toMailbox(emailAddress),
    token_hash: sha256(token),
    created_at: createdAt,
  }));
  const expiry = timeFormats(person.timeZone ?? defaultTimeZone).time(invitationExpiry(createdAt));
  const emails = invitees.map(({ name, emailAddress, token }) => ({
    to_address: emailAddress,
    subject: `${person.organisationName} invites you`,
    body: `${greeting(name)}\n\n${person.name} at ${person.organisationName} invites you to share your availability.\n\nJoin by ${expiry}:\n${linkTo(`/app/join/${token}`)}\n\nThe link works once. Do not forward it.\n`,
  }));
  await trx.insertInto("invitations").values(invitations).execute();
  await enqueueEmails(trx, emails);
  return invitations.map(({ id, name, email_address: emailAddress }) => ({ id, name, emailAddress }));
}

async function requireSuggestingOrganisation(trx: Trx, organisationId: string): Promise<void> {
  const organisation = await trx
    .selectFrom("endpoints")
    .select("organisation_id")
    .where("organisation_id", "=", organisationId)
    .where("suggests_contacts", "=", true)
    .executeTakeFirst();
  if (organisation === undefined)
    throw new ProblemError("organisation_not_found", "No organisation with this id implements suggestions.");
}

/** Throws an error that rejects the people at these positions in the request. Does nothing if there are no positions. */
function rejectPeopleAt(
  indexes: readonly number[],
  { code, detail, remedy }: { code: ProblemCode; detail: string; remedy: string },
): void {
  if (indexes.length === 0) return;
  const errors = new Map(indexes.map((index) => [`people[${index}]`, [remedy]]));
  throw new ProblemError(code, `No invitation was sent. ${detail}`, { errors });
}

const dayMs = 24 * 60 * 60 * 1_000;

/** Returns the mailboxes (see `toMailbox`) that an organisation invited too recently to invite again (D-87). */
export async function findRecentlyInvited(
  db: Store["db"],
  organisationId: string,
  now: Date,
): Promise<ReadonlySet<string>> {
  const rows = await db
    .selectFrom("invitations")
    .select("mailbox")
    .where("organisation_id", "=", organisationId)
    .where("created_at", ">", new Date(now.getTime() - repeatInvitationDays * dayMs))
    .execute();
  return new Set(rows.map(({ mailbox }) => mailbox));
}

/** Returns when an organisation last invited each mailbox (see `toMailbox`), and which user invited it. */
export async function findLastInvitations(
  db: Store["db"],
  organisationId: string,
  mailboxes: readonly string[],
): Promise<ReadonlyMap<string, { invitedAt: Date; invitedBy: string }>> {
  if (mailboxes.length === 0) return new Map();
  const rows = await db
    .selectFrom("invitations")
    .innerJoin("people", "people.id", "invited_by")
    .distinctOn("mailbox")
    .select(["mailbox", "invitations.created_at as invitedAt", "people.name as invitedBy"])
    .where("invitations.organisation_id", "=", organisationId)
    .where("mailbox", "in", mailboxes)
    .orderBy("mailbox")
    .orderBy("invitations.created_at", "desc")
    .execute();
  return new Map(rows.map(({ mailbox, ...lastInvitation }) => [mailbox, lastInvitation]));
}

/**
 * Checks the limits on invitations (D-87). Locks the organisation in all processes until the caller's transaction ends.
 *
 * @throws {ProblemError} `already_invited` or `too_many_invitations`
 */
async function checkInvitationLimits(
  trx: Trx,
  { id, organisationId }: SignedInPerson,
  mailboxes: readonly string[],
  now: Date,
): Promise<void> {
  await trx.selectFrom("organisations").select("id").where("id", "=", organisationId).forNoKeyUpdate().execute();
  await rejectRecentlyInvited(trx, organisationId, mailboxes, now);
  await checkDailyLimit(trx, id, new Set(mailboxes).size, now);
}

async function rejectRecentlyInvited(
  trx: Trx,
  organisationId: string,
  mailboxes: readonly string[],
  now: Date,
): Promise<void> {
  const recentlyInvited = await findRecentlyInvited(trx, organisationId, now);
  const repeatedIndexes = mailboxes.flatMap((mailbox, index) => (recentlyInvited.has(mailbox) ? [index] : []));
  rejectPeopleAt(repeatedIndexes, {
    code: "already_invited",
    detail: `Remove people your organisation invited less than ${repeatInvitationDays} days ago.`,
    remedy: "Remove this person.",
  });
}

/** Checks that the user may send this many new invitations, in addition to those of the last 24 hours. */
async function checkDailyLimit(trx: Trx, personId: string, newCount: number, now: Date): Promise<void> {
  const recentInvitations = await trx
    .selectFrom("invitations")
    .select("created_at")
    .where("invited_by", "=", personId)
    .where("created_at", ">", new Date(now.getTime() - dayMs))
    .orderBy("created_at")
    .execute();
  const excessCount = recentInvitations.length + newCount - invitationsPerDay;
  // Once this invitation is a day old, all new invitations are within the limit. `blockingInvitation` is undefined if they
  // already are.
  const blockingInvitation = recentInvitations[excessCount - 1];
  if (blockingInvitation === undefined) return;
  const waitMs = blockingInvitation.created_at.getTime() + dayMs - now.getTime();
  throw new ProblemError(
    "too_many_invitations",
    `You can invite at most ${invitationsPerDay} people in 24 hours. Try again after the number of seconds in Retry-After.`,
    { headers: { "Retry-After": String(Math.max(1, Math.ceil(waitMs / 1_000))) } },
  );
}

const cursor = createListCursor("invitations", /./);

/** Reads the organisation's invitations, newest first. */
async function readInvitations({ store }: PortalDeps, { organisationId }: SignedInPerson, { before, limit }: ListPage) {
  const invitations = await store.db
    .selectFrom("invitations")
    .innerJoin("organisations", "organisations.id", "suggested_by")
    .innerJoin("people", "people.id", "invited_by")
    .select(["invitations.id", "invitations.name", "email_address as emailAddress"])
    .select(["organisations.name as suggestedBy", "invitations.created_at as invitedAt"])
    .select(["people.name as invitedBy", "accepted_at as acceptedAt"])
    .select(epochMicroseconds("invitations.created_at").as("position"))
    .where("invitations.organisation_id", "=", organisationId)
    .where(olderThan(["invitations.created_at", "invitations.id"], before))
    .orderBy("invitations.created_at", "desc")
    .orderBy("invitations.id", "desc")
    .limit(limit + 1)
    .execute();
  const { rows, next } = cursor.toPage(invitations, limit, (row) => row);
  return { rows: rows.map(({ position: _, ...row }) => row), next };
}

export const invitationList = { cursor, read: readInvitations };
