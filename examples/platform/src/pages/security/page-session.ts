import { hkdfSync, randomBytes } from "node:crypto";
import type { Request, Response } from "express";
import { getIronSession, type IronSession } from "iron-session";

/**
 * What a browser keeps for us, sealed, in one cookie (D-80): nobody can read or change it, and it is forgotten with the session. Who
 * is signed in is the token's row in the table of sessions, as it is for a bearer token; it ends with that row.
 */
export interface SessionData {
  /** Of a session in the store. Absent while nobody is signed in. */
  token: string;
  /** What every form of this session carries. */
  formToken: string;
  /** Said on the next page, once. */
  notice: string;
}

export type PageSession = IronSession<SessionData> & { formToken: string };

export interface CookieSettings {
  /** Sent over https alone, and by this host alone (`__Host-`). */
  isSecure: boolean;
  /** What seals it. */
  password: string;
}

/** D-56 */
const lifetimeSeconds = 12 * 60 * 60;

/** The same in every process that has the key. */
export const cookiePassword = (sealKey: Uint8Array): string =>
  Buffer.from(hkdfSync("sha256", sealKey, "", "sessions of pages", 32)).toString("base64url");

/** @param name of the cookie: the portal and the worker's app each have their own, so that a browser may be in both */
export async function openPageSession(
  { isSecure, password }: CookieSettings,
  name: string,
  request: Request,
  response: Response,
): Promise<PageSession> {
  const session = await getIronSession<SessionData>(request, response, {
    cookieName: isSecure ? `__Host-${name}` : name,
    password,
    ttl: lifetimeSeconds,
    cookieOptions: { httpOnly: true, sameSite: "lax", secure: isSecure, path: "/" },
  });
  if (session.formToken === undefined) await renew(session, {});
  return session as PageSession;
}

/** Begins anew, with nothing of what was there before: whoever knew the old one knows nothing of this one. */
export async function renew(session: IronSession<SessionData>, data: Partial<SessionData>): Promise<void> {
  delete session.token;
  delete session.notice;
  Object.assign(session, { formToken: randomBytes(24).toString("base64url"), ...data });
  await session.save();
}
