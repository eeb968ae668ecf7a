import { randomBytes } from "node:crypto";
import type { Request } from "express";
import { ProblemError } from "../http/problem.ts";
import { checkParameters } from "../http/validation.ts";
import { sha256 } from "../store/encrypt.ts";
import type { Store } from "../store/store.ts";
import type { CheckPassword } from "./passwords.ts";
import type { PersonLimits, PersonUse } from "./rate-limits.ts";

/** A kind of user with its own sign-in. A session of one role gives no access to another. */
export interface Role {
  /** The column of the session's owner. */
  readonly owner: "person_id" | "worker_id";
  /** The name of the sign-in field next to `password`. */
  readonly name: "emailAddress" | "workerId";
  readonly sessionPath: string;
  readonly lifetime: SessionLifetime;
  find(store: Store, name: string): Promise<{ id: string; password_hash: string } | undefined>;
}

/** D-56 */
export interface SessionLifetime {
  readonly ms: number;
  /** Whether use extends it: it then ends when it has been unused for that long. */
  readonly isSliding: boolean;
}

export interface SignInDeps {
  store: Store;
  now: () => Date;
  checkPassword: CheckPassword;
}

export interface SignInCredentials {
  name: string;
  password: string;
  /** The caller's address; failed attempts are counted per network (D-55). */
  address: string;
}

/**
 * Opens a session for a name and password.
 *
 * @throws {ProblemError} `invalid_credentials` or `too_many_sign_ins`
 */
export async function signIn(
  deps: SignInDeps,
  role: Role,
  { name, password, address }: SignInCredentials,
): Promise<NewSession> {
  const found = await role.find(deps.store, name);
  const account = `${role.name} ${name.toLowerCase()}`;
  const proven = await deps.checkPassword({ account, address }, password, found?.password_hash);
  if (!found || !proven) throw invalidCredentials();
  return await openSession(deps.store, role, found.id, deps.now());
}

export interface NewSession {
  token: string;
  expiresAt: string;
}

export interface Session {
  /** The token's hash. */
  id: string;
  ownerId: string;
  expiresAt: Date;
}

export async function openSession(store: Store, role: Role, ownerId: string, now: Date): Promise<NewSession> {
  const token = randomBytes(32).toString("base64url");
  const expiresAt = new Date(now.getTime() + role.lifetime.ms);
  await store.db.deleteFrom("sessions").where("expires_at", "<=", now).execute();
  const owner = { person_id: null, worker_id: null, [role.owner]: ownerId };
  await store.db
    .insertInto("sessions")
    .values({ ...owner, token_hash: sha256(token), expires_at: expiresAt })
    .execute();
  return { token, expiresAt: expiresAt.toISOString() };
}

/** Ends the session of a token of this role. @returns its id */
export async function closeSession(store: Store, token: string, role: Role): Promise<string | undefined> {
  const closed = await store.db
    .deleteFrom("sessions")
    .where("token_hash", "=", sha256(token))
    .where(role.owner, "is not", null)
    .returning("token_hash")
    .executeTakeFirst();
  return closed?.token_hash;
}

/** The session of a token; undefined when it is unknown, of another role, or has expired. */
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
  return session?.ownerId ? { ...session, ownerId: session.ownerId } : undefined;
}

/** An extension writes a row and a cookie, so a session is extended once a day. */
const extendEveryMs = 24 * 60 * 60 * 1_000;

/** Like `findSession`, for a request of the owner, which extends a sliding session. */
export async function useSession(
  deps: { store: Store; now: () => Date },
  token: string,
  role: Role,
): Promise<(Session & { isExtended: boolean }) | undefined> {
  const session = await findSession(deps, token, role);
  if (session === undefined) return undefined;
  const expiresAt = new Date(deps.now().getTime() + role.lifetime.ms);
  const isExtended = role.lifetime.isSliding && expiresAt.getTime() - session.expiresAt.getTime() > extendEveryMs;
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
  /** Query parameters of the route. @default none */
  parameters?: readonly string[];
  /** @default `read` for GET and HEAD, else `act` */
  use?: PersonUse;
}

/**
 * Authenticates the request and counts it against the rate limit of the session's owner (D-91).
 *
 * @throws {ProblemError} `unauthenticated`; `rate_limited`; `invalid_request` for unknown query parameters
 */
export async function signedIn(
  deps: SignedInDeps,
  request: Request,
  role: Role,
  { parameters, use = useOf(request) }: SignedInRequest = {},
): Promise<Session> {
  const session = await sessionOf(deps, request, role);
  await deps.personLimits.count(limitKey(role, session), use);
  checkParameters(request, parameters);
  return session;
}

const useOf = ({ method }: Request): PersonUse => (method === "GET" || method === "HEAD" ? "read" : "act");

/** The key of the rate limit: all sessions of one owner share it. */
export const limitKey = (role: Role, { ownerId }: Session): string => `${role.owner} ${ownerId}`;

/**
 * Authenticates the request without counting it: a stream is counted once, when it starts.
 *
 * @throws {ProblemError} `unauthenticated` when the token is missing, unknown, expired or of another role
 */
export async function sessionOf(
  deps: { store: Store; now: () => Date },
  request: Request,
  role: Role,
): Promise<Session> {
  const session = await useSession(deps, bearerToken(request), role);
  if (session !== undefined) return session;
  const remedy = `Send Authorization: Bearer with the token that POST ${role.sessionPath} returns.`;
  throw new ProblemError("unauthenticated", remedy, { headers: challenge });
}

const challenge = { "WWW-Authenticate": "Bearer" };

const invalidCredentials = (): ProblemError =>
  new ProblemError("invalid_credentials", "Incorrect name or password.", { headers: challenge });

/** Empty without a token, which matches no session. */
export const bearerToken = (request: Request): string =>
  /^bearer ([\w-]+)$/i.exec(request.get("authorization") ?? "")?.[1] ?? "";
