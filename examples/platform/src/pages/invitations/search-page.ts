import { html } from "hono/html";
import { parseBody } from "../../http/parse-body.ts";
import { invitedAddresses } from "../../portal/invitations.ts";
import { searchForPerson } from "../../portal/search-for-person.ts";
import { filterField } from "../../portal/suggestions-route.ts";
import type { ProblemError } from "../../problem/problem-error.ts";
import { referenceOf } from "../../profile-images/profile-image-reference.ts";
import type { OrganisationAnswer } from "../../suggestions/search-all.ts";
import { onceField } from "../frame/act-once.ts";
import { formTokenField } from "../frame/form-token.ts";
import type { Markup } from "../frame/markup.ts";
import type { Page } from "../frame/page-answer.ts";
import type { PageDeps } from "../page-deps.ts";
import type { PortalVisit } from "../portal-audience.ts";
import { searchForm } from "./search-form.ts";
import { suggestionCard } from "./suggestion-card.ts";

/** `GET /invitations/search?filter=`: what every organisation answered, each for itself. */
export const searchPage = (deps: PageDeps) => (visit: PortalVisit) =>
  showSearch(deps, visit, String(visit.request.query.filter ?? ""));

/** @param problem why the people picked were not invited */
export async function showSearch(
  deps: PageDeps,
  visit: PortalVisit,
  filterText: string,
  problem?: ProblemError,
): Promise<Page> {
  const filter = parseBody(filterField, filterText) ?? "";
  const answers = await searchForPerson(deps, visit.who, filter);
  const invited = await invitedAddresses(deps, visit.who);
  const main = html`
    <header class="page-head"><h1>Invitations</h1></header>
    ${problem && html`<p class="notice bad" role="alert">${problem.message}</p>`}
    ${searchForm(filter)}
    ${answers.length === 0 && html`<p class="empty">No organisation implements suggestions. It is a switch on the company profile.</p>`}
    ${answers.toSorted(byUse).map((answer, index) => section(answer, { deps, visit, filter, invited, prefix: `person-${index}` }))}`;
  return {
    title: filter === "" ? "Suggestions" : `Suggestions for ${filter}`,
    main,
    // Whatever it is, it is about what was sent with the form (D-83).
    ...(problem && { status: 422 }),
  };
}

/** Those with somebody to pick first, those that failed last; else by name, as they come. */
const byUse = (one: OrganisationAnswer, other: OrganisationAnswer): number => rank(one) - rank(other);

const rank = (answer: OrganisationAnswer): number => ("failure" in answer ? 2 : answer.suggestions.length > 0 ? 0 : 1);

interface SectionContext {
  deps: PageDeps;
  visit: PortalVisit;
  filter: string;
  invited: ReadonlySet<string>;
  prefix: string;
}

function section(answer: OrganisationAnswer, { deps, visit, filter, invited, prefix }: SectionContext): Markup {
  const { organisation } = answer;
  const heading = html`<h2 id="${prefix}-heading">${organisation.name}</h2>`;
  if ("failure" in answer)
    return html`
    <section class="panel" aria-labelledby="${prefix}-heading">
      ${heading}
      <p class="notice bad">${organisation.name} could not suggest anybody: ${answer.failure.message}</p>
    </section>`;
  if (answer.suggestions.length === 0)
    return html`
    <section class="panel" aria-labelledby="${prefix}-heading">
      ${heading}
      <p class="empty">Nobody ${filter === "" ? "whom your addresses are known to" : "who fits"}.</p>
    </section>`;
  const cards = answer.suggestions.map((suggestion, index) => {
    const url = suggestion.profileImageUrl;
    const reference = url === undefined ? undefined : referenceOf(url, deps.sealKey, visit.sessionId);
    return suggestionCard({
      suggestion,
      id: `${prefix}-${index}`,
      imagePath: reference && `/invitations/images/${reference}`,
      isInvited: invited.has(suggestion.emailAddress.toLowerCase()),
    });
  });
  return html`
    <section class="panel" aria-labelledby="${prefix}-heading">
      ${heading}
      <form method="post" action="/invitations">
        ${formTokenField(visit)}
        ${onceField()}
        <input type="hidden" name="organisationId" value="${organisation.id}">
        <input type="hidden" name="filter" value="${filter}">
        <ul class="people">${cards}</ul>
        <button>Invite those picked</button>
      </form>
    </section>`;
}
