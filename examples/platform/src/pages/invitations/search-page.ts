import { html } from "hono/html";
import { mailboxOf } from "../../mail/mailbox-of.ts";
import { invitedLately } from "../../portal/invitations/invitation-limits.ts";
import { emailAddressesOf } from "../../portal/person/signed-in-person.ts";
import { type PersonSearch, searchForPerson } from "../../portal/suggestions/search-for-person.ts";
import { suggestingOrganisations } from "../../portal/suggestions/suggesting-organisations.ts";
import { searchSchema } from "../../portal/suggestions/suggestions-route.ts";
import { ProblemError } from "../../problem/problem-error.ts";
import type { OrganisationAnswer } from "../../suggestions/search-all.ts";
import { parseBody } from "../../validation/parse-body.ts";
import type { PortalVisit } from "../portal/portal-section.ts";
import type { PageDeps } from "../routing/page-deps.ts";
import type { Page } from "../routing/page-result.ts";
import { searchForm } from "./search-form.ts";
import { suggestionsPart } from "./suggestions-section.ts";

/** `POST /invitations/search`: the suggestions of every organisation ticked, each for itself. */
export const searchPage =
  (deps: PageDeps) =>
  (visit: PortalVisit, form: URLSearchParams): Promise<Page> => {
    const organisationIds = form.getAll("organisationIds");
    const filter = form.get("filter") ?? "";
    if (organisationIds.length === 0) return showSearch(deps, visit, { organisationIds, filter }, noneTicked);
    return showSearch(deps, visit, parseBody(searchSchema, { organisationIds, filter }));
  };

const noneTicked = new ProblemError("invalid_request", "Tick an organisation first; no search was made.");

/** @param problem why the people picked were not invited, or no search was made */
export async function showSearch(
  deps: PageDeps,
  visit: PortalVisit,
  search: PersonSearch,
  problem?: ProblemError,
): Promise<Page> {
  const { who, sessionId, formToken } = visit;
  const { organisationIds, filter = "" } = search;
  const found = await find(deps, visit, search);
  const said = problem ?? found.problem;
  const lately = await invitedLately(deps.store.db, who.organisationId, deps.now());
  const context = {
    ...{ sealKey: deps.sealKey, formToken, sessionId, filter },
    isInvited: (emailAddress: string) => lately.has(mailboxOf(emailAddress)),
  };
  const main = html`
    <header class="page-head"><h1>Invitations</h1></header>
    ${said && html`<p class="notice bad" role="alert">${said.message}</p>`}
    ${searchForm({
      ...{ formToken, filter, ticked: organisationIds },
      organisations: await suggestingOrganisations(deps, who),
      emailAddresses: await emailAddressesOf(deps, who),
    })}
    ${found.answers.toSorted(byUse).map((answer, index) => suggestionsPart(answer, { ...context, prefix: `person-${index}` }))}`;
  return {
    title: filter === "" ? "Suggestions" : `Suggestions for ${filter}`,
    main,
    // Whatever it is, it is about what was sent with the form (D-83).
    ...(said && { status: 422 }),
  };
}

/** Those ticked may implement suggestions no more: then the page says so, and shows those that do. */
async function find(
  deps: PageDeps,
  { who, sessionId }: PortalVisit,
  search: PersonSearch,
): Promise<{ answers: OrganisationAnswer[]; problem?: ProblemError }> {
  if (search.organisationIds.length === 0) return { answers: [] };
  try {
    return { answers: await searchForPerson(deps, { ...who, sessionId }, search) };
  } catch (error) {
    if (!(error instanceof ProblemError) || error.code !== "organisation_not_suggesting") throw error;
    return { answers: [], problem: error };
  }
}

/** Those with somebody to pick first, those that failed last; else by name, as they come. */
const byUse = (one: OrganisationAnswer, other: OrganisationAnswer): number => rank(one) - rank(other);

const rank = (answer: OrganisationAnswer): number => ("failure" in answer ? 2 : answer.suggestions.length > 0 ? 0 : 1);
