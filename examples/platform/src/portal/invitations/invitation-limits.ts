import { invitationsPerDay, repeatInvitationDays } from "../../generated/decisions.ts";
import { ProblemError } from "../../problem/problem-error.ts";
import type { Store, Trx } from "../../store/store.ts";
import type { SignedInPerson } from "../person/signed-in-person.ts";

const dayMs = 24 * 60 * 60 * 1_000;

/** The mailboxes (see `mailboxOf`) that an organisation has invited so lately that it may not do so again (D-87). */
export async function recentlyInvited(db: Store["db"], organisationId: string, now: Date): Promise<ReadonlySet<string>> {
  const rows = await db
    .selectFrom("invitations")
    .select("mailbox")
    .where("organisation_id", "=", organisationId)
    .where("created_at", ">", new Date(now.getTime() - repeatInvitationDays * dayMs))
    .execute();
  return new Set(rows.map(({ mailbox }) => mailbox));
}

/**
 * Refuses what would be too many invitations (D-87). Until the caller's transaction ends, no other one of the organisation is
 * counted or made, in any process.
 *
 * @throws {ProblemError} `already_invited` or `too_many_invitations`
 */
export async function checkInvitationLimits(
  trx: Trx,
  { id, organisationId }: SignedInPerson,
  mailboxes: readonly string[],
  now: Date,
): Promise<void> {
  await trx.selectFrom("organisations").select("id").where("id", "=", organisationId).forNoKeyUpdate().execute();
  const lately = await recentlyInvited(trx, organisationId, now);
  const repeated = mailboxes.flatMap((mailbox, index) => (lately.has(mailbox) ? [index] : []));
  if (repeated.length > 0)
    throw new ProblemError(
      "already_invited",
      `No invitation was sent. Leave out people whom your organisation invited less than ${repeatInvitationDays} days ago.`,
      { errors: new Map(repeated.map((index) => [`people[${index}]`, ["Leave this person out."]])) },
    );
  const sent = await trx
    .selectFrom("invitations")
    .select("created_at")
    .where("invited_by", "=", id)
    .where("created_at", ">", new Date(now.getTime() - dayMs))
    .orderBy("created_at")
    .execute();
  // When so many of them are a day old, there is room for all of these.
  const last = sent[sent.length + new Set(mailboxes).size - invitationsPerDay - 1];
  if (last === undefined) return;
  const waitMs = last.created_at.getTime() + dayMs - now.getTime();
  throw new ProblemError(
    "too_many_invitations",
    `You can invite ${invitationsPerDay} people in 24 hours. Try again after the number of seconds in Retry-After.`,
    { headers: { "Retry-After": String(Math.max(1, Math.ceil(waitMs / 1_000))) } },
  );
}
