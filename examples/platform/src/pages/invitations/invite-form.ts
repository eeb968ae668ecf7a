import { parseBody } from "../../http/parse-body.ts";
import { invite, picksSchema } from "../../portal/invitations.ts";
import { ProblemError } from "../../problem/problem-error.ts";
import { actOnce } from "../frame/act-once.ts";
import type { PageAnswer } from "../frame/page-answer.ts";
import type { PageDeps } from "../page-deps.ts";
import type { PortalVisit } from "../portal-audience.ts";
import { showSearch } from "./search-page.ts";

/** `POST /invitations`: those picked of one organisation's suggestions are invited. */
export const inviteForm =
  (deps: PageDeps) =>
  async (visit: PortalVisit, form: URLSearchParams): Promise<PageAnswer> => {
    const picked = form.getAll("person");
    if (picked.length === 0)
      return showSearch(
        deps,
        visit,
        form.get("filter") ?? "",
        new ProblemError("invalid_request", "Pick somebody first."),
      );
    const people = picked.map(parsed);
    const picks = parseBody(picksSchema, { organisationId: form.get("organisationId"), people });
    return actOnce(deps, { visit, form, organisationId: visit.who.organisationId }, async (trx) => {
      const invited = await invite(trx, deps, visit.who, picks);
      const names = new Intl.ListFormat("en").format(invited.map(({ name }) => name));
      return { to: "/invitations", notice: `Invited: ${names}.` };
    });
  };

/** Whatever is not ours is left to the schema. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
