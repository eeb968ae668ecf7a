import { invitationsPerDay, repeatInvitationDays } from "../../generated/decisions.ts";
import { ProblemError } from "../../problem/problem-error.ts";
import type { Store, Trx } from "../../store/store.ts";
import type { SignedInPerson } from "../person/signed-in-person.ts";

const dayMs = 24 * 60 * 60 * 1_000;

/** The mailboxes (see `mailboxOf`) that an organisation invited too recently to invite again (D-87). */
export async function recentlyInvited(
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

/**
 * Checks the limits of invitations (D-87). Locks the organisation until the caller's transaction ends, in all processes.
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
      `No invitation was sent. Remove people whom your organisation invited less than ${repeatInvitationDays} days ago.`,
      { errors: new Map(repeated.map((index) => [`people[${index}]`, ["Remove this person."]])) },
    );
  const sent = await trx
    .selectFrom("invitations")
    .select("created_at")
    .where("invited_by", "=", id)
    .where("created_at", ">", new Date(now.getTime() - dayMs))
    .orderBy("created_at")
    .execute();
  // Once this invitation is a day old, all new ones are within the limit.
  const last = sent[sent.length + new Set(mailboxes).size - invitationsPerDay - 1];
  if (last === undefined) return;
  const waitMs = last.created_at.getTime() + dayMs - now.getTime();
  throw new ProblemError(
    "too_many_invitations",
    `You can invite ${invitationsPerDay} people in 24 hours. Try again after the number of seconds in Retry-After.`,
    { headers: { "Retry-After": String(Math.max(1, Math.ceil(waitMs / 1_000))) } },
  );
}
