import type { Request, Response } from "express";
import { findSession } from "../../../accounts/sessions.ts";
import { openVisitor, type Visitor } from "../../../accounts/visitor.ts";
import { isCurrentForm } from "../security/check-csrf.ts";
import { openPageSession, type PageSession } from "../security/page-session.ts";
import type { PageDeps, PageSection } from "./page.ts";

export interface ReceivedForm {
  form: URLSearchParams;
  session: PageSession;
  visitor: Visitor;
  isSignedIn: boolean;
  /** Whether the form belongs to the session (D-81). A form that does not must have no effect. */
  isCurrent: boolean;
}

/**
 * Reads a form, within limits that depend on who sends it, and checks where it comes from. Counts a form that is sent without a session
 * (D-154) before it is read.
 *
 * @param size `credentials` for a form that has only a name, a password and hidden fields
 * @throws {ProblemError} `rate_limited`, `csrf_check_failed`, or an error about the body
 */
export async function receiveForm<User>(
  deps: PageDeps,
  section: PageSection<User>,
  request: Request,
  response: Response,
  size?: "credentials",
): Promise<ReceivedForm> {
  const session = await openPageSession(deps.cookies, section, request, response);
  const visitor = await openVisitor(deps.cookies, request, response);
  const isSignedIn =
    session.token !== undefined && (await findSession(deps, session.token, section.role)) !== undefined;
  if (!isSignedIn) await deps.personLimits.count(visitor.limitKey, "act");
  // A form whose session has ended is kept on a known device, whatever its size (D-147).
  const sizeOfInput = isSignedIn || visitor.isOnKnownDevice ? "fromUser" : "fromStranger";
  const form = await deps.readForm(request, response, size ?? sizeOfInput);
  const isCurrent = isCurrentForm(request, session, form, deps.publicOrigin);
  return { form, session, visitor, isSignedIn, isCurrent };
}
