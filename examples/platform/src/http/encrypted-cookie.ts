import { hkdfSync } from "node:crypto";
import type { Request, Response } from "express";
import { getIronSession, type IronSession } from "iron-session";

export interface CookieSettings {
  /** Whether to set `Secure` and the prefix `__Host-`, which restrict the cookie to https and this host. */
  isSecure: boolean;
  /** The platform's encryption key, so that every process accepts the cookie. */
  encryptionKey: Uint8Array;
}

export interface CookieKind {
  /** The start of the cookie's name, which ends with a hash of the encryption key. */
  name: string;
  /** Cookies with different purposes have different keys, so that none is accepted in place of another. */
  purpose: string;
  lifetimeMs: number;
}

/**
 * Opens an encrypted cookie, with the flags `HttpOnly`, `SameSite=Lax`, `Path=/` and, behind https, `Secure` with the prefix `__Host-`
 * (D-80).
 *
 * @returns the content, which is empty if the cookie is missing, expired or forged. `save()` sends it.
 */
export const openCookie = <Data extends object>(
  { isSecure, encryptionKey }: CookieSettings,
  { name, purpose, lifetimeMs }: CookieKind,
  request: Request,
  response: Response,
): Promise<IronSession<Data>> => {
  const derive = (use: string, size: number) => Buffer.from(hkdfSync("sha256", encryptionKey, "", use, size));
  // Browsers share cookies between the ports of a host, so a name must differ from that of another platform on this host.
  const uniqueName = `${name}-${derive("names of cookies", 4).toString("hex")}`;
  return getIronSession<Data>(request, response, {
    cookieName: isSecure ? `__Host-${uniqueName}` : uniqueName,
    password: derive(purpose, 32).toString("base64url"),
    ttl: lifetimeMs / 1_000,
    cookieOptions: { httpOnly: true, sameSite: "lax", secure: isSecure, path: "/" },
  });
};
