import { refusal } from "../errors/refusal.ts";
import { kindOf } from "./kind-of.ts";

/** https, or http on loopback; no credentials, query or fragment. Read after URL has normalised it. */
const safe = /^http(s:|:\/\/(localhost|127\.[\d.]+|\[::1])[:/])[^?#@]*$/;

/** What is wrong with a base address, without showing it: it may hold a password. */
function faultOf(given: unknown, href: string): string {
  if (given === undefined || given === null) return "is missing";
  if (typeof given !== "string" && !(given instanceof URL)) return `is ${kindOf(given)}, neither a string nor a URL`;
  const text = `${given}`;
  if (text === "") return "is empty; is the variable set that it comes from?";
  if (/\s/.test(text)) return "holds white space; trim it";
  if (!/^[a-z][\w+.-]*:\/\//i.test(text)) return "has no scheme; put https:// before it";
  const colon = text.indexOf(":");
  if (!/^https?:/i.test(text)) return `has the scheme ${text.slice(0, Math.min(colon, 20))}; use https`;
  const rest = text.slice(colon + 3);
  if (/^[/?#:]|^$/.test(rest)) return "has no host";
  if (/^[^/?#]*@/.test(rest)) return "holds credentials; give them as apiKey";
  if (!href) return /^(\[.*]|[^[/?#]*):/.test(rest) ? "has a port outside 1 to 65535" : "has a host that is none";
  if (new URL(href).port === "0") return "has a port outside 1 to 65535";
  if (href.includes("#")) return "has a fragment (#); leave it out";
  if (href.includes("?")) return "has a query (?); leave it out";
  return "is http, but not on loopback; use https, which hides the key";
}

/** @returns the base address without a slash at its end, so that a path can follow */
export function readBaseUrl(baseUrl: unknown): string {
  const isText = typeof baseUrl === "string" || baseUrl instanceof URL;
  const href = isText && URL.canParse(baseUrl) ? new URL(baseUrl).href : "";
  const isPlain = isText && !/\s|^https?:\/\/[/:]/i.test(`${baseUrl}`);
  if (isPlain && safe.test(href) && new URL(href).port !== "0") return href.replace(/\/+$/, "");
  throw refusal(
    "invalid_base_url",
    `baseUrl ${faultOf(baseUrl, href)}. Give the service's address: https://service.example`,
  );
}

/** Puts `id` in its place in the path's template, as one segment whatever it holds. */
export const fillPath = (template: string, id: unknown): string =>
  template.includes("{id}") ? template.replace("{id}", segmentOf(id)) : template;

function segmentOf(id: unknown): string {
  let fault = `is ${kindOf(id)}`;
  if (typeof id === "string")
    try {
      // A dollar sign, which means something to a replacement, is encoded too.
      if (!/^\.{0,2}$/.test(id)) return encodeURIComponent(id);
      fault = `is ${id ? `"${id}"` : "empty"}`;
    } catch {
      fault = "is no Unicode text";
    }
  throw refusal("invalid_id", `id ${fault}; give the offer's id, as createOffer() gives it`);
}
