import { timingSafeEqual } from "node:crypto";
import type { Request } from "express";
import { ProblemError } from "../../../http/problem.ts";
import type { PageSession } from "./page-session.ts";

/**
 * Prevents cross-site request forgery (CSRF, D-81): rejects a form from another origin, or without the session's token. A form without
 * the token that the browser reports as same-origin belongs to an earlier session, which has ended, or another tab signed in or out.
 *
 * @param publicOrigin the origin behind a proxy; undefined for the request's own host
 * @returns whether the form belongs to this session; if not, it must have no effect
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
  const origin = request.get("origin");
  const isSameOrigin =
    publicOrigin === undefined ? URL.parse(origin ?? "")?.host === request.get("host") : origin === publicOrigin;
  const isCrossSite = (site !== undefined && site !== "same-origin") || (origin !== undefined && !isSameOrigin);
  if (!isCrossSite && isEqual(form.get("formToken") ?? "", session.formToken)) return true;
  if (!isCrossSite && (site ?? origin) !== undefined) return false;
  throw new ProblemError("csrf_check_failed", "Reload the page and submit the form again; nothing was changed.");
}

function isEqual(given: string, kept: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(kept)];
  return a.length === b.length && timingSafeEqual(a, b);
}
