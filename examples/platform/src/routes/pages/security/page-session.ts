import { randomBytes } from "node:crypto";
import type { Request, Response } from "express";
import type { IronSession } from "iron-session";
import type { Role } from "../../../accounts/sessions.ts";
import { type CookieSettings, openCookie } from "../../../http/encrypted-cookie.ts";
import { truncateText } from "../../../http/fields.ts";

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

/** Opens the session cookie (D-80). @param section the portal or the app. A browser can be signed in to both. */
export async function openPageSession(
  cookies: CookieSettings,
  { cookie: name, role }: { cookie: string; role: Role },
  request: Request,
  response: Response,
): Promise<PageSession> {
  const kind = { name, purpose: "sessions of pages", lifetimeMs: role.lifetime.ms };
  const session = await openCookie<SessionData>(cookies, kind, request, response);
  if (session.formToken === undefined) await renewSession(session, {});
  return session as PageSession;
}

/** Replaces the session and its CSRF token, to prevent session fixation. */
export async function renewSession(session: IronSession<SessionData>, data: Partial<SessionData>): Promise<void> {
  delete session.token;
  delete session.notice;
  delete session.timeZone;
  Object.assign(session, { formToken: randomBytes(24).toString("base64url"), ...data });
  if (data.notice !== undefined) setNotice(session, data.notice);
  await session.save();
}

/** Bounds the notice, because `save()` throws if the cookie is larger than the 4,096 bytes that browsers store. */
const maxNoticeBytes = 1_000;

/** Sets the message for the next page. Truncates it if it is long, for example because it contains names. Call `save()` afterwards. */
export function setNotice(session: IronSession<SessionData>, text: string): void {
  const truncated = truncateText(text, maxNoticeBytes);
  session.notice = truncated === text ? text : `${truncated}…`;
}
