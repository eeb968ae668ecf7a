import { UsageError } from "../terminal/usage-error.ts";
import type { Address } from "./exchange.ts";

/** An address of a receiver, and what stands before every path, without a slash at its end. */
export interface ReceiverUrl extends Address {
  base: string;
  /** As given, without what follows the path. */
  href: string;
}

/** @throws {UsageError} for text that is no address of a receiver */
export function readUrl(text: string): ReceiverUrl {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || (url.protocol !== "http:" && url.protocol !== "https:"))
    throw new UsageError(
      `${quoted(text)} is no address. Give one with http:// or https://, such as http://localhost:3001/offers.`,
    );
  if (url.username || url.password)
    throw new UsageError("The address holds a user name or a password. Give it without: the service sends none.");
  if (url.search || url.hash)
    throw new UsageError(
      `${quoted(text)} has a query or a fragment. Give the base address alone, as on the company profile.`,
    );
  const isSecure = url.protocol === "https:";
  const base = url.pathname.replace(/\/+$/, "");
  return {
    ...{ host: url.hostname, port: Number(url.port || (isSecure ? 443 : 80)), isSecure, base },
    href: `${url.origin}${base}`,
  };
}

const quoted = (text: string): string => JSON.stringify(text.slice(0, 200));
