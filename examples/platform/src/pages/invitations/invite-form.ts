import { invite, picksSchema } from "../../portal/invitations/invitations.ts";
import { searchSchema } from "../../portal/suggestions/suggestions-route.ts";
import { ProblemError } from "../../problem/problem-error.ts";
import type { ProblemCode } from "../../problem/problem-kinds.ts";
import { parseBody } from "../../validation/parse-body.ts";
import type { PortalContext } from "../portal/portal-section.ts";
import type { PageDeps } from "../routing/page-deps.ts";
import type { Page, PageResult } from "../routing/page-result.ts";
import { submitOnce } from "../routing/submit-once.ts";
import { showSearch } from "./search-page.ts";

/** Errors about the selected people: the form is shown again. */
const aboutPicks: readonly ProblemCode[] = ["contact_not_suggested", "already_invited"];

/** `POST /invitations`: invites the selected people. */
export const inviteForm =
  (deps: PageDeps) =>
  async (context: PortalContext, form: URLSearchParams): Promise<PageResult> => {
    const organisationId = form.get("organisationId");
    const picked = form.getAll("person");
    const showAgain = (problem: ProblemError): Promise<Page> =>
      showSearch(
        deps,
        context,
        parseBody(searchSchema, { organisationIds: [organisationId], filter: form.get("filter") ?? "" }),
        problem,
      );
    if (picked.length === 0) return showAgain(new ProblemError("invalid_request", "Select at least one person."));
    const picks = parseBody(picksSchema, { organisationId, people: picked.map(parsed) });
    try {
      return await submitOnce(deps, { context, form, organisationId: context.user.organisationId }, async (trx) => {
        const invited = await invite(trx, deps, { ...context.user, sessionId: context.sessionId }, picks);
        const names = new Intl.ListFormat("en").format(invited.map(({ name }) => name));
        return { to: "/invitations", notice: `Invited: ${names}.` };
      });
    } catch (error) {
      if (!(error instanceof ProblemError) || !aboutPicks.includes(error.code)) throw error;
      return showAgain(error);
    }
  };

/** The schema rejects text that is not JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
