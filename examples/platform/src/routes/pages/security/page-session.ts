import { hkdfSync, randomBytes } from "node:crypto";
import type { Request, Response } from "express";
import { getIronSession, type IronSession } from "iron-session";
import type { Role } from "../../../accounts/sessions.ts";

/**
 * The content of the encrypted session cookie (D-80). Like a bearer token, `token` refers to a row in the table `sessions`. The
 * session ends when that row is deleted.
 */
export interface SessionData {
  /** The session token; absent before sign-in. */
  token: string;
  /** The CSRF token for the session's forms. */
  formToken: string;
  /** A message that the next page shows once. */
  notice: string;
  /** The browser's time zone, which this user's pages use until their organisation has chosen one (D-115). */
  timeZone: string;
}

export type PageSession = IronSession<SessionData> & { formToken: string };

export interface CookieSettings {
  /** Whether to set `Secure` and the prefix `__Host-`, which restrict the cookie to https and this host. */
  isSecure: boolean;
  /** The password that encrypts the cookie. */
  password: string;
}

/** Derives the cookie password from the encryption key, so that it is the same in all processes. */
export const cookiePassword = (encryptionKey: Uint8Array): string =>
  Buffer.from(hkdfSync("sha256", encryptionKey, "", "sessions of pages", 32)).toString("base64url");

/**
 * Opens the session cookie, with the flags `HttpOnly`, `SameSite=Lax`, `Path=/` and, behind https, `Secure` with the prefix `__Host-`
 * (D-80).
 *
 * @param section the portal or the app. Their cookies have different names, so a browser can be signed in to both.
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
  if (session.formToken === undefined) await renewSession(session, {});
  return session as PageSession;
}

/** Replaces the session and its CSRF token, to prevent session fixation. */
export async function renewSession(session: IronSession<SessionData>, data: Partial<SessionData>): Promise<void> {
  delete session.token;
  delete session.notice;
  delete session.timeZone;
  Object.assign(session, { formToken: randomBytes(24).toString("base64url"), ...data });
  await session.save();
}
