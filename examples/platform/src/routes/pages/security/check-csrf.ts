import { timingSafeEqual } from "node:crypto";
import type { Request } from "express";
import { ProblemError } from "../../../http/problem.ts";
import type { PageSession } from "./page-session.ts";

/**
 * Prevents cross-site request forgery (CSRF, D-81): rejects a form from another origin, or without the session's token. If the
 * browser reports the form as same-origin, a wrong token means that the session has ended, or that another tab signed in or out.
 *
 * @param publicOrigin the public origin behind a proxy; undefined to use the request's host
 * @returns whether the form belongs to this session. A form that does not must have no effect.
 * @throws {ProblemError} `csrf_check_failed`
 * @see https://developer.mozilla.org/en-US/docs/Web/HTTP/Reference/Headers/Sec-Fetch-Site
 */
export function isCurrentForm(
  request: Request,
  session: PageSession,
  form: URLSearchParams,
  publicOrigin: string | undefined,
): boolean {
  const site = request.get("sec-fetch-site");
  const header = request.get("origin");
  // Without a referrer, which a proxy's Referrer-Policy can cause, browsers send `null` with the platform's own forms.
  const origin = header === "null" && site === "same-origin" ? undefined : header;
  const isSameOrigin = origin !== undefined && isOwnOrigin(origin, publicOrigin, request.get("host"));
  const isCrossSite = (site !== undefined && site !== "same-origin") || (origin !== undefined && !isSameOrigin);
  const isTokenValid = isEqual(form.get("formToken") ?? "", session.formToken);
  const isReportedAsSameOrigin = !isCrossSite && (site !== undefined || origin !== undefined);
  if (isTokenValid && !isCrossSite) return true;
  if (isReportedAsSameOrigin) return false;
  throw new ProblemError("csrf_check_failed", "Reload the page and submit the form again; nothing was changed.");
}

/** Returns whether an `Origin` is the platform's. An origin leaves out the default port of its scheme, while a `Host` may contain it. */
function isOwnOrigin(header: string, publicOrigin: string | undefined, host: string | undefined): boolean {
  const url = URL.parse(header);
  if (url === null || !/^https?:$/.test(url.protocol)) return false;
  return url.origin === URL.parse(publicOrigin ?? `${url.protocol}//${host ?? ""}`)?.origin;
}

function isEqual(actual: string, expected: string): boolean {
  const [a, b] = [Buffer.from(actual), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
