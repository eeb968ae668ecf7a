import { html } from "hono/html";
import { mailboxOf } from "../../mail/mailbox-of.ts";
import { recentlyInvited } from "../../portal/invitations/invitation-limits.ts";
import { emailAddressesOf } from "../../portal/person/signed-in-person.ts";
import { type PersonSearch, searchForPerson } from "../../portal/suggestions/search-for-person.ts";
import { suggestingOrganisations } from "../../portal/suggestions/suggesting-organisations.ts";
import { searchSchema } from "../../portal/suggestions/suggestions-route.ts";
import { ProblemError } from "../../problem/problem-error.ts";
import type { OrganisationResult } from "../../suggestions/search-all.ts";
import { parseBody } from "../../validation/parse-body.ts";
import type { PortalContext } from "../portal/portal-section.ts";
import type { PageDeps } from "../routing/page-deps.ts";
import type { Page } from "../routing/page-result.ts";
import { searchForm } from "./search-form.ts";
import { suggestionsSection } from "./suggestions-section.ts";

/** `POST /invitations/search`: the suggestions of every organisation ticked, each for itself. */
export const searchPage =
  (deps: PageDeps) =>
  (context: PortalContext, form: URLSearchParams): Promise<Page> => {
    const organisationIds = form.getAll("organisationIds");
    const filter = form.get("filter") ?? "";
    if (organisationIds.length === 0) return showSearch(deps, context, { organisationIds, filter }, noneTicked);
    return showSearch(deps, context, parseBody(searchSchema, { organisationIds, filter }));
  };

const noneTicked = new ProblemError("invalid_request", "Tick an organisation first; no search was made.");

/** @param problem why the people picked were not invited, or no search was made */
export async function showSearch(
  deps: PageDeps,
  context: PortalContext,
  search: PersonSearch,
  problem?: ProblemError,
): Promise<Page> {
  const { user, sessionId, formToken } = context;
  const { organisationIds, filter = "" } = search;
  const found = await find(deps, context, search);
  const said = problem ?? found.problem;
  const lately = await recentlyInvited(deps.store.db, user.organisationId, deps.now());
  const suggestions = {
    ...{ sealKey: deps.sealKey, formToken, sessionId, filter },
    isInvited: (emailAddress: string) => lately.has(mailboxOf(emailAddress)),
  };
  const main = html`
    <header class="page-head"><h1>Invitations</h1></header>
    ${said && html`<p class="notice bad" role="alert">${said.message}</p>`}
    ${searchForm({
      ...{ formToken, filter, ticked: organisationIds },
      organisations: await suggestingOrganisations(deps, user),
      emailAddresses: await emailAddressesOf(deps, user),
    })}
    ${found.answers.toSorted(byUse).map((answer, index) => suggestionsSection(answer, { ...suggestions, prefix: `person-${index}` }))}`;
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
  { user, sessionId }: PortalContext,
  search: PersonSearch,
): Promise<{ answers: OrganisationResult[]; problem?: ProblemError }> {
  if (search.organisationIds.length === 0) return { answers: [] };
  try {
    return { answers: await searchForPerson(deps, { ...user, sessionId }, search) };
  } catch (error) {
    if (!(error instanceof ProblemError) || error.code !== "organisation_not_suggesting") throw error;
    return { answers: [], problem: error };
  }
}

/** Those with somebody to pick first, those that failed last; else by name, as they come. */
const byUse = (one: OrganisationResult, other: OrganisationResult): number => rank(one) - rank(other);

const rank = (answer: OrganisationResult): number => ("failure" in answer ? 2 : answer.suggestions.length > 0 ? 0 : 1);
