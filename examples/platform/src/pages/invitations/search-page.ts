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

/** `POST /invitations/search`: the suggestions of every selected organisation. */
export const searchPage =
  (deps: PageDeps) =>
  (context: PortalContext, form: URLSearchParams): Promise<Page> => {
    const organisationIds = form.getAll("organisationIds");
    const filter = form.get("filter") ?? "";
    if (organisationIds.length === 0) return showSearch(deps, context, { organisationIds, filter }, noneTicked);
    return showSearch(deps, context, parseBody(searchSchema, { organisationIds, filter }));
  };

const noneTicked = new ProblemError("invalid_request", "Select at least one organisation.");

/** @param problem why the invitation or the search failed */
export async function showSearch(
  deps: PageDeps,
  context: PortalContext,
  search: PersonSearch,
  problem?: ProblemError,
): Promise<Page> {
  const { user, sessionId, formToken } = context;
  const { organisationIds, filter = "" } = search;
  const found = await find(deps, context, search);
  const shownProblem = problem ?? found.problem;
  const lately = await recentlyInvited(deps.store.db, user.organisationId, deps.now());
  const suggestions = {
    ...{ encryptionKey: deps.encryptionKey, formToken, sessionId, filter },
    isInvited: (emailAddress: string) => lately.has(mailboxOf(emailAddress)),
  };
  const main = html`
    <header class="page-head"><h1>Invitations</h1></header>
    ${shownProblem && html`<p class="notice bad" role="alert">${shownProblem.message}</p>`}
    ${searchForm({
      ...{ formToken, filter, ticked: organisationIds },
      organisations: await suggestingOrganisations(deps, user),
      emailAddresses: await emailAddressesOf(deps, user),
    })}
    ${found.results.toSorted(byUse).map((result, index) => suggestionsSection(result, { ...suggestions, prefix: `person-${index}` }))}`;
  return {
    title: filter === "" ? "Suggestions" : `Suggestions for ${filter}`,
    main,
    // D-83: the problem is about the submitted form.
    ...(shownProblem && { status: 422 }),
  };
}

/** If a selected organisation no longer implements suggestions, the page reports it and offers the others. */
async function find(
  deps: PageDeps,
  { user, sessionId }: PortalContext,
  search: PersonSearch,
): Promise<{ results: OrganisationResult[]; problem?: ProblemError }> {
  if (search.organisationIds.length === 0) return { results: [] };
  try {
    return { results: await searchForPerson(deps, { ...user, sessionId }, search) };
  } catch (error) {
    if (!(error instanceof ProblemError) || error.code !== "organisation_not_suggesting") throw error;
    return { results: [], problem: error };
  }
}

/** Organisations with suggestions first, failures last, otherwise by name. */
const byUse = (one: OrganisationResult, other: OrganisationResult): number => rank(one) - rank(other);

const rank = (result: OrganisationResult): number => ("failure" in result ? 2 : result.suggestions.length > 0 ? 0 : 1);
