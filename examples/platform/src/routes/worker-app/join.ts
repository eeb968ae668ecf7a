import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { z } from "zod";
import { newPasswordField } from "../../accounts/change-password.ts";
import { toSignInAddress } from "../../accounts/invitations.ts";
import { type NewSession, openSession, signIn } from "../../accounts/sessions.ts";
import type { Visitor } from "../../accounts/visitor.ts";
import { invitationValidDays } from "../../generated/decisions.ts";
import { lineField } from "../../http/fields.ts";
import { ProblemError } from "../../http/problem.ts";
import { sha256 } from "../../store/encrypt.ts";
import type { Trx } from "../../store/store.ts";
import { addContact } from "./contacts.ts";
import { type WorkerAppDeps, worker } from "./worker.ts";

const dayMs = 24 * 60 * 60 * 1_000;

export type OpenInvitation = Awaited<ReturnType<typeof readInvitation>>;

/**
 * Reads the invitation that an emailed link refers to.
 *
 * @throws {ProblemError} `invitation_not_found` if it is unknown, used or expired
 */
export async function readInvitation({ store, now }: Pick<WorkerAppDeps, "store" | "now">, token: string) {
  const invitation = await store.db
    .selectFrom("invitations")
    .innerJoin("organisations", "organisations.id", "invitations.organisation_id")
    .innerJoin("people", "people.id", "invited_by")
    .select([
      "invitations.id",
      "invitations.name",
      "email_address as emailAddress",
      "invitations.created_at as invitedAt",
    ])
    .select(["organisations.id as organisationId", "organisations.name as organisationName"])
    .select(["people.name as invitedBy"])
    // Whether the invited person has joined before.
    .select(({ selectFrom, exists }) =>
      exists(
        selectFrom("workers")
          .select("workers.id")
          .whereRef("workers.email_address", "=", "invitations.sign_in_address"),
      ).as("isWorker"),
    )
    .where("token_hash", "=", sha256(token))
    .where("accepted_at", "is", null)
    .where("invitations.created_at", ">", new Date(now().getTime() - invitationValidDays * dayMs))
    .executeTakeFirst();
  if (invitation === undefined) throw invitationNotFound();
  return invitation;
}

const invitationNotFound = (): ProblemError =>
  new ProblemError(
    "invitation_not_found",
    `The link works only once, within ${invitationValidDays} days. Ask the organisation for a new invitation, or sign in.`,
  );

/** The form for a new worker. The email address comes from the invitation. */
export const joinSchema = z.strictObject({ name: lineField.max(100), password: newPasswordField });

/**
 * Accepts an invitation as a new worker, who then shares availability with the organisation. The organisation receives the Worker Added
 * Contact webhook (D-122).
 *
 * @throws {ProblemError} `invitation_not_found`, `too_many_sign_ins`, or `edit_conflict` if a worker with this email address has joined in
 *   the meantime
 */
export async function joinAsWorker(
  deps: WorkerAppDeps,
  token: string,
  { name, password }: z.infer<typeof joinSchema>,
  visitor: Visitor,
): Promise<NewSession> {
  // Check the invitation first, because hashing the password is expensive.
  const invitation = await readInvitation(deps, token);
  const passwordHash = await deps.passwords.hash({ id: invitation.id, address: visitor.address }, password);
  const id = `worker_${randomUUID()}`;
  await deps.store.transaction(async (trx) => {
    const { organisation_id, sign_in_address: emailAddress } = await markInvitationUsed(trx, deps, token);
    const newWorker = await trx
      .insertInto("workers")
      .values({ id, name, email_address: emailAddress, password_hash: passwordHash })
      .onConflict((conflict) => conflict.doNothing())
      .returning("id")
      .executeTakeFirst();
    // The person has since joined through a different invitation. After a reload, the page asks for their password.
    if (newWorker === undefined) throw new ProblemError("edit_conflict", "You have already joined. Reload the page.");
    await addContact(trx, deps, id, organisation_id);
  });
  return openSession(deps, worker, { id, password_hash: passwordHash }, visitor);
}

/**
 * Accepts an invitation as a worker who has already joined with the same email address.
 *
 * @throws {ProblemError} `invitation_not_found`, `invalid_credentials`, `too_many_sign_ins` or `rate_limited`
 */
export async function acceptAsWorker(
  deps: WorkerAppDeps,
  token: string,
  credentials: { password: string; visitor: Visitor },
): Promise<NewSession> {
  const { emailAddress } = await readInvitation(deps, token);
  const session = await signIn(deps, worker, { name: emailAddress, ...credentials });
  await deps.store.transaction(async (trx) => {
    const { id } = await trx
      .selectFrom("workers")
      .select("id")
      .where("email_address", "=", toSignInAddress(emailAddress))
      .executeTakeFirstOrThrow();
    const { organisation_id } = await markInvitationUsed(trx, deps, token);
    await addContact(trx, deps, id, organisation_id);
  });
  return session;
}

/** Marks the link as used. A concurrent request waits for the row lock, and then fails because the link was used. */
async function markInvitationUsed(trx: Trx, { now }: Pick<WorkerAppDeps, "now">, token: string) {
  const invitation = await trx
    .updateTable("invitations")
    .set({ accepted_at: sql<Date>`now()` })
    .where("token_hash", "=", sha256(token))
    .where("accepted_at", "is", null)
    .where("created_at", ">", new Date(now().getTime() - invitationValidDays * dayMs))
    .returning(["organisation_id", "sign_in_address"])
    .executeTakeFirst();
  if (invitation === undefined) throw invitationNotFound();
  return invitation;
}
