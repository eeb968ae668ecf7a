import { refusal } from "../errors/refusal.ts";

/** https, or http on loopback; no credentials, query or fragment. Read after URL has normalised it. */
const safe = /^http(s:|:\/\/(localhost|127\.[\d.]+|\[::1])[:/])[^?#@]*$/;

/** @returns the base address without a slash at its end, so that a path can follow */
export function readBaseUrl(baseUrl: string | URL): string {
  const href = URL.canParse(baseUrl) ? new URL(baseUrl).href : "";
  if (safe.test(href)) return href.replace(/\/+$/, "");
  throw refusal("invalid_base_url", "baseUrl must be https, or http on loopback, without user, query or hash");
}

/** Puts `id` in its place in the path's template, as one segment whatever it holds. */
export const fillPath = (template: string, id: unknown): string =>
  template.replace("{id}", () => {
    if (typeof id === "string" && !/^\.{0,2}$/.test(id)) return encodeURIComponent(id);
    throw refusal("invalid_id", 'id must be a string, not "", "." or ".."');
  });
