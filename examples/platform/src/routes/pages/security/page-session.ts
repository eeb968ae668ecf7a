import { hkdfSync, randomBytes } from "node:crypto";
import type { Request, Response } from "express";
import { getIronSession, type IronSession } from "iron-session";
import type { Role } from "../../../accounts/sessions.ts";

/**
 * The encrypted session cookie (D-80). `token` refers to a row of the table `sessions`, like a bearer token, and the session
 * ends with that row.
 */
export interface SessionData {
  /** Session token; absent before sign-in. */
  token: string;
  /** CSRF token of the session's forms. */
  formToken: string;
  /** Shown once, on the next page. */
  notice: string;
  /** The browser's time zone, for the pages of this person until their organisation has chosen one (D-115). */
  timeZone: string;
}

export type PageSession = IronSession<SessionData> & { formToken: string };

export interface CookieSettings {
  /** Sets `Secure` and the prefix `__Host-`: https only, this host only. */
  isSecure: boolean;
  /** Encryption password. */
  password: string;
}

/** Derived from the key, so it is the same in all processes. */
export const cookiePassword = (encryptionKey: Uint8Array): string =>
  Buffer.from(hkdfSync("sha256", encryptionKey, "", "sessions of pages", 32)).toString("base64url");

/**
 * Session cookie flags: `HttpOnly`, `SameSite=Lax`, `Path=/`, and behind https `Secure` with the prefix `__Host-` (D-80).
 *
 * @param section has the cookie's name; portal and app have different ones, so a browser can be signed in to both
 */
export async function openPageSession(
  { isSecure, password }: CookieSettings,
  { cookie: name, role }: { cookie: string; role: Role },
  request: Request,
  response: Response,
): Promise<PageSession> {
  const session = await getIronSession<SessionData>(request, response, {
    cookieName: isSecure ? `__Host-${name}` : name,
    password,
    ttl: role.lifetime.ms / 1_000,
    cookieOptions: { httpOnly: true, sameSite: "lax", secure: isSecure, path: "/" },
  });
  if (session.formToken === undefined) await renew(session, {});
  return session as PageSession;
}

/** Replaces the session and its CSRF token, against session fixation. */
export async function renew(session: IronSession<SessionData>, data: Partial<SessionData>): Promise<void> {
  delete session.token;
  delete session.notice;
  delete session.timeZone;
  Object.assign(session, { formToken: randomBytes(24).toString("base64url"), ...data });
  await session.save();
}
