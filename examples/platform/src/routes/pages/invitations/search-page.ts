import type { OrganisationResult } from "../../../accounts/contact-suggestions.ts";
import { toMailbox } from "../../../accounts/invitations.ts";
import { type ProblemCode, ProblemError } from "../../../http/problem.ts";
import { parseBody } from "../../../http/validation.ts";
import {
  findLastInvitations,
  findRecentlyInvited,
  invitationSchema,
  invite,
} from "../../portal/invitations/invitations.ts";
import { type PersonSearch, searchSchema, searchSuggestions } from "../../portal/invitations/search-suggestions.ts";
import { html } from "../layout/markup.ts";
import type { Page } from "../routing/page.ts";
import { submitOnce } from "../routing/submit-once.ts";
import type { PortalContext, PortalForm } from "../sections/portal-section.ts";
import { searchForm } from "./search-form.ts";
import { suggestionsSection } from "./suggestions-section.ts";

/** `POST /invitations/search`: shows suggestions from every selected organisation. */
export const handleSearch: PortalForm = (context, form) => {
  const search = { organisationIds: form.getAll("organisationIds"), filter: form.get("filter") ?? "" };
  if (search.organisationIds.length === 0)
    return renderSearch(context, search, new ProblemError("invalid_request", "Select at least one organisation."));
  return renderSearch(context, parseBody(searchSchema, search));
};

/** The maximum number of invited people to list by name. The notice only counts the others. */
const maxListedNames = 10;

/** The codes of errors about the selected people. After such an error, the form is shown again. */
const invitedPeopleCodes: readonly ProblemCode[] = ["contact_not_suggested", "already_invited"];

/** `POST /invitations`: invites the selected people. */
export const handleInvite: PortalForm = async (context, form) => {
  const { deps, user } = context;
  const organisationId = form.get("organisationId");
  const selectedPeople = form.getAll("person");
  const renderWithProblem = (problem: ProblemError): Promise<Page> => {
    const search = { organisationIds: [organisationId], filter: form.get("filter") ?? "" };
    return renderSearch(context, parseBody(searchSchema, search), problem);
  };
  if (selectedPeople.length === 0)
    return renderWithProblem(new ProblemError("invalid_request", "Select at least one person."));
  const invitation = parseBody(invitationSchema, { organisationId, people: selectedPeople.map(parseJson) });
  try {
    return await submitOnce(context, form, user.organisationId, async (trx) => {
      const invitedPeople = await invite(trx, deps, user, invitation);
      const names = invitedPeople.slice(0, maxListedNames).map(({ name }) => name);
      const otherCount = invitedPeople.length - names.length;
      if (otherCount > 0) names.push(`${otherCount} other${otherCount === 1 ? "" : "s"}`);
      return { to: "/invitations", notice: `Invited: ${new Intl.ListFormat("en").format(names)}.` };
    });
  } catch (error) {
    if (!(error instanceof ProblemError) || !invitedPeopleCodes.includes(error.code)) throw error;
    return renderWithProblem(error);
  }
};

/** Parses JSON. Returns invalid JSON unchanged, which the schema then rejects. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Runs the search and renders its results. @param problem why the invitation or the search failed */
async function renderSearch(context: PortalContext, search: PersonSearch, problem?: ProblemError): Promise<Page> {
  const { deps, user } = context;
  const { filter = "" } = search;
  const outcome = await trySearch(context, search);
  const shownProblem = problem ?? outcome.problem;
  const recentlyInvited = await findRecentlyInvited(deps.store.db, user.organisationId, deps.now());
  const mailboxes = outcome.results.flatMap((result) =>
    "failure" in result ? [] : result.suggestions.map(({ emailAddress }) => toMailbox(emailAddress)),
  );
  const lastInvitations = await findLastInvitations(deps.store.db, user.organisationId, [...new Set(mailboxes)]);
  const findEarlierInvitation = (emailAddress: string) => {
    const mailbox = toMailbox(emailAddress);
    const lastInvitation = lastInvitations.get(mailbox);
    return lastInvitation && { ...lastInvitation, isRecent: recentlyInvited.has(mailbox) };
  };
  const main = html`
    <header class="page-head"><h1>Invitations</h1></header>
    ${shownProblem && html`<p class="notice bad" role="alert">${shownProblem.message}</p>`}
    ${await searchForm(context, search)}
    ${outcome.results.toSorted(bySuggestions).map((result, index) => suggestionsSection(context, result, { prefix: `person-${index}`, filter, findEarlierInvitation }))}`;
  return {
    title: filter === "" ? "Suggestions" : `Suggestions for ${filter}`,
    main,
    // D-83: the submitted form has an error.
    ...(shownProblem && { status: 422 }),
  };
}

/** Runs the search. If a selected organisation no longer implements suggestions, returns that problem and no results. */
async function trySearch(
  { deps, user }: PortalContext,
  search: PersonSearch,
): Promise<{ results: OrganisationResult[]; problem?: ProblemError }> {
  if (search.organisationIds.length === 0) return { results: [] };
  try {
    return { results: await searchSuggestions(deps, user, search) };
  } catch (error) {
    if (!(error instanceof ProblemError) || error.code !== "organisation_not_suggesting") throw error;
    return { results: [], problem: error };
  }
}

/** Sorts organisations with suggestions first and failures last. The input is sorted by name, and the sort is stable. */
const bySuggestions = (a: OrganisationResult, b: OrganisationResult): number => rank(a) - rank(b);

function rank(result: OrganisationResult): number {
  if ("failure" in result) return 2;
  return result.suggestions.length > 0 ? 0 : 1;
}
