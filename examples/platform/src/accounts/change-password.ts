import { sql } from "kysely";
import { z } from "zod";
import type { EventStreams } from "../http/event-streams.ts";
import { invalidRequest } from "../http/problem.ts";
import { sha256 } from "../store/encrypt.ts";
import { accountKey, type Role, type Session, type SignInDeps } from "./sessions.ts";

export const newPasswordField = z.string().min(8).max(500);

export const passwordChangeSchema = z.strictObject({ currentPassword: z.string(), newPassword: newPasswordField });

export interface AccountDeps extends SignInDeps {
  streams: EventStreams;
}

/** The session in which a password is changed. */
export interface PasswordChange {
  session: Session;
  /** The caller's IP address; empty if unknown. */
  address: string;
}

/**
 * Changes the password of the session's owner, and ends their other sessions (D-162). Wrong passwords count like those of a sign-in on a
 * known device, which is this session, so that nobody else can prevent the change.
 *
 * @throws {ProblemError} `invalid_request` if the current password is wrong; `too_many_sign_ins`
 */
export async function changePassword(
  deps: AccountDeps,
  role: Role,
  { session, address }: PasswordChange,
  { currentPassword, newPassword }: z.infer<typeof passwordChangeSchema>,
): Promise<void> {
  const { store, passwords } = deps;
  const owner = await store.db
    .selectFrom(role.table)
    .select("password_hash")
    .where("id", "=", session.ownerId)
    .executeTakeFirstOrThrow();
  const account = sha256(accountKey(role, session.ownerId));
  const attempt = { account, address, knownDevice: session.id };
  if (!(await passwords.verify(attempt, currentPassword, owner.password_hash))) throw wrongPassword();
  const newHash = await passwords.hash({ id: account, address }, newPassword);
  const endedIds = await store.transaction(async (trx) => {
    const { numAffectedRows } = await sql`
      update ${sql.table(role.table)} set password_hash = ${newHash}
      where id = ${session.ownerId} and password_hash = ${owner.password_hash}`.execute(trx);
    // Another request has changed the password in the meantime.
    if (numAffectedRows === 0n) throw wrongPassword();
    const ended = await trx
      .deleteFrom("sessions")
      .where(role.owner, "=", session.ownerId)
      .where("token_hash", "<>", session.id)
      .returning("token_hash")
      .execute();
    return ended.map(({ token_hash: id }) => id);
  });
  for (const id of endedIds) deps.streams.end(id);
}

const wrongPassword = () => invalidRequest(new Map([["currentPassword", ["Enter your current password."]]]));

/** Ends all sessions of an owner, and their event streams (D-162). */
export async function signOutEverywhere(
  { store, streams }: Pick<AccountDeps, "store" | "streams">,
  role: Role,
  ownerId: string,
): Promise<void> {
  const ended = await store.db.deleteFrom("sessions").where(role.owner, "=", ownerId).returning("token_hash").execute();
  for (const { token_hash: id } of ended) streams.end(id);
}
