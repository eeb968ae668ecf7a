import { randomBytes } from "node:crypto";
import type { Request } from "express";
import { sql } from "kysely";
import { ProblemError } from "../http/problem.ts";
import { rejectUnknownParameters } from "../http/validation.ts";
import { sha256 } from "../store/encrypt.ts";
import type { Store } from "../store/store.ts";
import type { LimitedPasswords } from "./passwords.ts";
import type { PersonLimits, PersonUse } from "./rate-limits.ts";
import type { Visitor } from "./visitor.ts";

/** A kind of user with a separate sign-in. A session for one role is not valid for any other role. */
export interface Role {
  /** The column that contains the id of the session's owner. */
  readonly owner: "person_id" | "worker_id";
  /** The table that contains the owners. */
  readonly table: "people" | "workers";
  /** The name of the sign-in field that identifies the user, next to `password`. */
  readonly name: "emailAddress" | "workerId";
  readonly sessionPath: string;
  readonly lifetime: SessionLifetime;
  find(store: Store, name: string): Promise<{ id: string; password_hash: string } | undefined>;
}

/** How long a session lasts (D-56). */
export interface SessionLifetime {
  readonly ms: number;
  /** Whether use extends the session, so that it ends only after it has not been used for `ms`. */
  readonly isSliding: boolean;
}

export interface SignInDeps {
  store: Store;
  now: () => Date;
  passwords: LimitedPasswords;
}

export interface SignInCredentials {
  name: string;
  password: string;
  visitor: Visitor;
}

/**
 * Checks the name and password, and opens a session.
 *
 * @throws {ProblemError} `invalid_credentials` or `too_many_sign_ins`
 */
export async function signIn(
  deps: SignInDeps,
  role: Role,
  { name, password, visitor }: SignInCredentials,
): Promise<NewSession> {
  const user = await role.find(deps.store, name);
  const knownAccount = user && accountKey(role, user.id);
  const attempt = {
    // Unknown names have the same limits, so that a lock does not reveal which accounts exist.
    account: sha256(knownAccount ?? `${role.name} ${name.toLowerCase()}`),
    address: visitor.address,
    knownDevice: knownAccount && visitor.knownDevice(knownAccount),
  };
  const isCorrect = await deps.passwords.verify(attempt, password, user?.password_hash);
  if (!user || !isCorrect) throw invalidCredentials();
  return await openSession(deps, role, user, visitor);
}

export interface NewSession {
  token: string;
  expiresAt: string;
}

export interface Session {
  /** The SHA-256 hash of the token. */
  id: string;
  ownerId: string;
  expiresAt: Date;
}

/**
 * Opens a session, and remembers the device (D-153). Also deletes all sessions that have expired.
 *
 * @throws {ProblemError} `invalid_credentials` if the password has been changed since it was checked
 */
export async function openSession(
  { store, now }: Pick<SignInDeps, "store" | "now">,
  role: Role,
  { id: ownerId, password_hash: checkedHash }: { id: string; password_hash: string },
  visitor: Visitor,
): Promise<NewSession> {
  const token = randomBytes(32).toString("base64url");
  const openedAt = now();
  const expiresAt = new Date(openedAt.getTime() + role.lifetime.ms);
  await store.db.deleteFrom("sessions").where("expires_at", "<=", openedAt).execute();
  // Lock the owner, so that a concurrent change of the password either ends this session or prevents it.
  const { rows } = await sql`
    insert into sessions (token_hash, ${sql.ref(role.owner)}, expires_at)
    select ${sha256(token)}, id, ${expiresAt}::timestamptz from ${sql.table(role.table)}
    where id = ${ownerId} and password_hash = ${checkedHash} for share
    returning token_hash`.execute(store.db);
  if (rows.length === 0) throw invalidCredentials();
  await visitor.rememberDevice(accountKey(role, ownerId));
  return { token, expiresAt: expiresAt.toISOString() };
}

/** Ends the session with this token, if it is for this role. @returns the session's id */
export async function closeSession(store: Store, token: string, role: Role): Promise<string | undefined> {
  const closedSession = await store.db
    .deleteFrom("sessions")
    .where("token_hash", "=", sha256(token))
    .where(role.owner, "is not", null)
    .returning("token_hash")
    .executeTakeFirst();
  return closedSession?.token_hash;
}

/** Finds the session with this token. @returns undefined if the token is unknown, expired, or for a different role */
export async function findSession(
  { store, now }: { store: Store; now: () => Date },
  token: string,
  role: Role,
): Promise<Session | undefined> {
  const session = await store.db
    .selectFrom("sessions")
    .select(["token_hash as id", "expires_at as expiresAt"])
    .select(({ ref }) => ref(role.owner).as("ownerId"))
    .where("token_hash", "=", sha256(token))
    .where("expires_at", ">", now())
    .executeTakeFirst();
  // The owner is null if the session is for a different role.
  return session?.ownerId ? { ...session, ownerId: session.ownerId } : undefined;
}

/** The minimum time between two extensions of a session. It is long, because each extension writes a row and a cookie. */
const extensionIntervalMs = 24 * 60 * 60 * 1_000;

/** Finds a session, and extends a sliding session at most once a day. Call it for requests from the session's owner. */
export async function findAndExtendSession(
  deps: { store: Store; now: () => Date },
  token: string,
  role: Role,
): Promise<(Session & { isExtended: boolean }) | undefined> {
  const session = await findSession(deps, token, role);
  if (session === undefined) return undefined;
  const expiresAt = new Date(deps.now().getTime() + role.lifetime.ms);
  const isExtended = role.lifetime.isSliding && expiresAt.getTime() - session.expiresAt.getTime() > extensionIntervalMs;
  if (!isExtended) return { ...session, isExtended };
  await deps.store.db
    .updateTable("sessions")
    .set({ expires_at: expiresAt })
    .where("token_hash", "=", session.id)
    .execute();
  return { ...session, expiresAt, isExtended };
}

export interface SignedInDeps {
  store: Store;
  now: () => Date;
  personLimits: PersonLimits;
}

export interface SignedInRequest {
  /** The query parameters that the route accepts. @default none */
  parameters?: readonly string[];
  /** The kind of request to count. @default `read` for GET and HEAD, `act` for other methods */
  use?: PersonUse;
}

/**
 * Authenticates the request and counts it against the rate limit of the session's owner (D-91).
 *
 * @throws {ProblemError} `unauthenticated`; `rate_limited`; `invalid_request` for unknown query parameters
 */
export async function authenticateUser(
  deps: SignedInDeps,
  request: Request,
  role: Role,
  { parameters, use = defaultUse(request) }: SignedInRequest = {},
): Promise<Session> {
  const session = await requireSession(deps, request, role);
  await deps.personLimits.count(accountKey(role, session.ownerId), use);
  rejectUnknownParameters(request, parameters);
  return session;
}

const defaultUse = ({ method }: Request): PersonUse => (method === "GET" || method === "HEAD" ? "read" : "act");

/** Returns the key of an account, for rate limits and known devices. All sessions of one owner share it. */
export const accountKey = (role: Role, ownerId: string): string => `${role.owner} ${ownerId}`;

/**
 * Authenticates the request without counting it against a rate limit. Used by streams, which count only when they start.
 *
 * @throws {ProblemError} `unauthenticated` if the token is missing, unknown, expired or for a different role
 */
export async function requireSession(
  deps: { store: Store; now: () => Date },
  request: Request,
  role: Role,
): Promise<Session> {
  const session = await findAndExtendSession(deps, bearerToken(request), role);
  if (session !== undefined) return session;
  const remedy = `Send the header Authorization: Bearer <token>, with the token that POST ${role.sessionPath} returns.`;
  throw new ProblemError("unauthenticated", remedy, { headers: challenge });
}

const challenge = { "WWW-Authenticate": "Bearer" };

const invalidCredentials = (): ProblemError =>
  new ProblemError("invalid_credentials", "Incorrect name or password.", { headers: challenge });

/** Returns the bearer token, or an empty string, which does not match any session. */
export const bearerToken = (request: Request): string =>
  /^bearer ([\w-]+)$/i.exec(request.get("authorization") ?? "")?.[1] ?? "";
