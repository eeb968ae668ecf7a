import { randomUUID } from "node:crypto";
import type { Request, Response } from "express";
import { type CookieSettings, openCookie } from "../http/encrypted-cookie.ts";
import { sha256 } from "../store/encrypt.ts";
import { toNetwork } from "./rate-limits.ts";

/**
 * The content of the device cookie (D-153). It identifies no one: the id is random, and the accounts are hashes.
 *
 * @see https://owasp.org/www-community/Slow_Down_Online_Guessing_Attacks_with_Device_Cookies
 */
interface DeviceData {
  id: string;
  /** The accounts that have signed in on this device, the most recent first. */
  accounts: string[];
}

/** Browsers delete a cookie after 400 days (RFC 6265bis, 5.5). */
const lifetimeMs = 400 * 24 * 60 * 60 * 1_000;
/** Bounds the cookie, which browsers reject from 4,096 bytes. */
const maxAccounts = 10;

/** The sender of a request that has no session, or not yet. */
export interface Visitor {
  /** The IP address; empty if unknown. */
  address: string;
  /** Whether anyone has signed in on this device before. */
  isOnKnownDevice: boolean;
  /** The key for rate limits: the account that last signed in on this device, or else the network. */
  limitKey: string;
  /** Returns the device's id if this account has signed in on it before. @param account its `accountKey` */
  knownDevice(account: string): string | undefined;
  /** Sets the device cookie. Call it after a sign-in and when a session is extended, before the response is sent. */
  rememberDevice(account: string): Promise<void>;
}

/** Identifies a visitor by the device cookie and the IP address. The device cookie survives a sign-out, and does not sign anyone in. */
export async function openVisitor(cookies: CookieSettings, request: Request, response: Response): Promise<Visitor> {
  const kind = { name: "offers-device", purpose: "known devices", lifetimeMs };
  const device = await openCookie<Partial<DeviceData>>(cookies, kind, request, response);
  const { accounts = [] } = device;
  const address = request.ip ?? "";
  const [lastAccount] = accounts;
  return {
    address,
    isOnKnownDevice: lastAccount !== undefined,
    limitKey: lastAccount === undefined ? `network ${toNetwork(address)}` : `account ${lastAccount}`,
    knownDevice: (account) => (accounts.includes(sha256(account)) ? device.id : undefined),
    async rememberDevice(account) {
      device.id ??= randomUUID();
      device.accounts = [...new Set([sha256(account), ...accounts])].slice(0, maxAccounts);
      await device.save();
    },
  };
}
