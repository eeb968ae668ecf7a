import { randomBytes } from "node:crypto";
import type { Request } from "express";
import { sha256 } from "../http/sha256.ts";
import { ProblemError } from "../problem/problem-error.ts";
import type { Store } from "../store/store.ts";

const lifetimeMs = 12 * 60 * 60 * 1_000;

/** Who a session is of: a person in the portal, or a worker in the app. */
export type SessionOwner = { person_id: string } | { worker_id: string };

export interface NewSession {
  token: string;
  expiresAt: string;
}

export async function openSession(store: Store, owner: SessionOwner, now: Date): Promise<NewSession> {
  const token = randomBytes(32).toString("base64url");
  const expiresAt = new Date(now.getTime() + lifetimeMs);
  await store.db.deleteFrom("sessions").where("expires_at", "<=", now).execute();
  await store.db
    .insertInto("sessions")
    .values({ person_id: null, worker_id: null, ...owner, token_hash: sha256(token), expires_at: expiresAt })
    .execute();
  return { token, expiresAt: expiresAt.toISOString() };
}

export async function closeSession(store: Store, request: Request): Promise<void> {
  const token = bearerToken(request);
  if (token !== undefined) await store.db.deleteFrom("sessions").where("token_hash", "=", sha256(token)).execute();
}

/** The session of a request; undefined without a token, and with one that is unknown or has expired. */
export async function sessionOf(store: Store, request: Request, now: Date) {
  const token = bearerToken(request);
  if (token === undefined) return undefined;
  return await store.db
    .selectFrom("sessions")
    .select(["person_id", "worker_id"])
    .where("token_hash", "=", sha256(token))
    .where("expires_at", ">", now)
    .executeTakeFirst();
}

const challenge = { "WWW-Authenticate": "Bearer" };

export const notSignedIn = (signInPath: string): ProblemError =>
  new ProblemError("not_signed_in", `Send Authorization: Bearer with the token that POST ${signInPath} gives.`, {
    headers: challenge,
  });

export const signInFailed = (): ProblemError =>
  new ProblemError("sign_in_failed", "Nobody is known by this name and password; check both.", { headers: challenge });

const bearerToken = (request: Request): string | undefined =>
  /^bearer ([\w-]+)$/i.exec(request.get("authorization") ?? "")?.[1];
