import {
  type OrganisationChoice,
  type PersonSearch,
  readOrganisationChoices,
} from "../../portal/invitations/search-suggestions.ts";
import { readEmailAddresses } from "../../portal/person.ts";
import { formTokenField } from "../layout/field.ts";
import { html, type Markup } from "../layout/markup.ts";
import { readSearchText } from "../layout/pagination.ts";
import type { PortalContext } from "../sections/portal-section.ts";

/**
 * Renders the form that searches the selected organisations (D-88). It uses POST, so that a link cannot send a user's email addresses.
 *
 * @param search the submitted form. @default only the user's own organisation is selected
 */
export async function searchForm(context: PortalContext, search?: PersonSearch): Promise<Markup> {
  const { deps, user, request } = context;
  const text = readSearchText(request, "organisation");
  const { choices, hasMore } = await readOrganisationChoices(deps, user, {
    text,
    chosen: search?.organisationIds ?? [],
  });
  if (choices.length === 0 && text === undefined)
    return html`<p class="empty">No organisation implements suggestions. Enable suggestions in the company profile.</p>`;
  const emailAddresses = await readEmailAddresses(deps, user);
  const isSelected = ({ id, isOwn }: OrganisationChoice): boolean => search?.organisationIds.includes(id) ?? isOwn;
  return html`
  ${(hasMore || text !== undefined) && organisationSearchForm(text)}
  <form method="post" action="/invitations/search" class="panel stack" role="search" aria-label="Suggestions">
    ${formTokenField(context)}
    <fieldset aria-describedby="organisations-hint">
      <legend>Organisations to search</legend>
      <p class="hint" id="organisations-hint">The selected organisations receive your email addresses: ${emailAddresses.join(", ")}.</p>
      ${choices.length === 0 && html`<p class="empty">No organisation with this name implements suggestions.</p>`}
      <div class="choices long">
        ${choices.map((choice) => {
          const note = describeChoice(choice);
          return html`<label class="choice"><input type="checkbox" name="organisationIds" value="${choice.id}"${isSelected(choice) && html` checked`}> <span>${choice.name}${note && html`<small>${note}</small>`}</span></label>`;
        })}
      </div>
      ${hasMore && html`<p class="fine">There are more organisations. Find them by name.</p>`}
    </fieldset>
    <div class="search">
      <label for="filter">Narrow by name, skill or role <span class="fine">optional</span></label>
      <div class="row">
        <input type="search" id="filter" name="filter" value="${search?.filter ?? ""}" maxlength="500">
        <button>Search</button>
      </div>
    </div>
  </form>`;
}

function describeChoice({ isOwn, isRemembered }: OrganisationChoice): string | undefined {
  if (isOwn) return "Your organisation";
  return isRemembered ? "Searched before" : undefined;
}

/** Renders the form that finds organisations by name. */
const organisationSearchForm = (text: string | undefined): Markup => html`
  <form method="get" action="/invitations" class="row find" role="search" aria-label="Organisations">
    <label for="organisation">Find an organisation by name</label>
    <input type="search" id="organisation" name="organisation" value="${text ?? ""}" maxlength="200">
    <button class="quiet">Find</button>
  </form>`;
