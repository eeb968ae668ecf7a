import { timingSafeEqual } from "node:crypto";
import type { Request } from "express";
import { ProblemError } from "../../problem/problem-error.ts";
import type { PageSession } from "./page-session.ts";

/**
 * Refuses a form that no page of ours made (D-81): the browser says it comes from elsewhere, or it lacks the session's token.
 *
 * @param publicOrigin where people reach us, when a proxy stands before us; else it is the request's own host
 * @throws {ProblemError} `forged_form`
 * @see https://developer.mozilla.org/en-US/docs/Web/HTTP/Reference/Headers/Sec-Fetch-Site
 */
export function checkOrigin(
  request: Request,
  session: PageSession,
  form: URLSearchParams,
  publicOrigin: string | undefined,
): void {
  const site = request.get("sec-fetch-site");
  const origin = request.get("origin");
  const isOurs =
    publicOrigin === undefined ? URL.parse(origin ?? "")?.host === request.get("host") : origin === publicOrigin;
  const isElsewhere = (site !== undefined && site !== "same-origin") || (origin !== undefined && !isOurs);
  if (isElsewhere || !isSame(form.get("formToken") ?? "", session.formToken))
    throw new ProblemError("forged_form", "Open the page again and send the form from there; nothing was changed.");
}

function isSame(given: string, kept: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(kept)];
  return a.length === b.length && timingSafeEqual(a, b);
}
