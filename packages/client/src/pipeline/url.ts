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
  if (/\s/.test(text)) return "holds white space; is the variable set as it should be?";
  const [, scheme = "", rest = ""] = /^([a-z][\w+.-]*):\/\/(.*)/is.exec(text) ?? [];
  if (!scheme) return "has no scheme; put https:// before it, or http:// on loopback";
  if (!/^https?$/i.test(scheme))
    return `has the scheme ${scheme.slice(0, 20)}; only https, or http on loopback, is spoken`;
  if (/^[/?#:]|^$/.test(rest)) return "has no host";
  if (/^[^/?#]*@/.test(rest)) return "holds credentials; give the key as apiKey instead";
  if (!href)
    return /^[^/?#]*:[^/?#\]]*$/.test(rest.replace(/[/?#].*/s, "")) && !/^\[[^\]]*$/.test(rest)
      ? "has a port that is none; ports are 1 to 65535"
      : "has a host that is none";
  if (new URL(href).port === "0") return "has a port that is none; ports are 1 to 65535";
  if (href.includes("#")) return "has a fragment (#), which is never sent; leave it out";
  if (href.includes("?")) return "has a query (?); leave it out, api-version is added to every call";
  return "is http, but not on loopback: the key would be readable on its way; use https";
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
  template.replace("{id}", () => {
    let fault = `is ${kindOf(id)}`;
    if (typeof id === "string")
      try {
        if (!/^\.{0,2}$/.test(id)) return encodeURIComponent(id);
        fault = `is ${id ? `"${id}"` : "empty"}`;
      } catch {
        fault = "is no Unicode text";
      }
    throw refusal("invalid_id", `id ${fault}; give the offer's id, a string such as createOffer() gives`);
  });
