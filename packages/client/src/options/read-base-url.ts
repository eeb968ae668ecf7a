import { createUsageError } from "../errors/create-usage-error.ts";
import { kindOf } from "../errors/kind-of.ts";

/** https, or http on loopback; no credentials, query or fragment. Matches a URL that `URL` has normalised. */
const safe = /^http(s:|:\/\/(localhost|127\.[\d.]+|\[::1])[:/])[^?#@]*$/;

/** What is wrong with a base address. The address is not shown: it may hold a password. */
function problemOf(given: unknown, href: string): string {
  if (given === undefined || given === null) return "is missing";
  if (typeof given !== "string" && !(given instanceof URL)) return `is ${kindOf(given)}, neither a string nor a URL`;
  const text = `${given}`;
  if (text === "") return "is empty; is its environment variable set?";
  if (/\s/.test(text)) return "has white space; trim it";
  if (!/^[a-z][\w+.-]*:\/\//i.test(text)) return "has no scheme; put https:// before it";
  const colon = text.indexOf(":");
  if (!/^https?:/i.test(text)) return `has the scheme ${text.slice(0, Math.min(colon, 20))}; use https`;
  const rest = text.slice(colon + 3);
  if (/^[/?#:]|^$/.test(rest)) return "has no host";
  if (/^[^/?#]*@/.test(rest)) return "has credentials; give them as apiKey";
  if (!href) return /^(\[.*]|[^[/?#]*):/.test(rest) ? "has a port outside 1 to 65535" : "has an invalid host";
  if (new URL(href).port === "0") return "has a port outside 1 to 65535";
  if (href.includes("#")) return "has a fragment (#); leave it out";
  if (href.includes("?")) return "has a query (?); leave it out";
  return "is http; use https, except on loopback";
}

/** @returns the base address without a slash at its end, so that a path can follow */
export function readBaseUrl(baseUrl: unknown): string {
  const isText = typeof baseUrl === "string" || baseUrl instanceof URL;
  const href = isText && URL.canParse(baseUrl) ? new URL(baseUrl).href : "";
  const isPlain = isText && !/\s|^https?:\/\/[/:]/i.test(`${baseUrl}`);
  if (isPlain && safe.test(href) && new URL(href).port !== "0") return href.replace(/\/+$/, "");
  throw createUsageError(
    "invalid_base_url",
    `baseUrl ${problemOf(baseUrl, href)}. Give the service's address: https://service.example`,
  );
}
