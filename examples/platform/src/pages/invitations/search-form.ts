import { emailAddressesOf } from "../../portal/person.ts";
import {
  type PersonSearch,
  type SuggestingOrganisation,
  suggestingOrganisations,
} from "../../portal/search-suggestions.ts";
import { formTokenField } from "../layout/field.ts";
import { html, type Markup } from "../layout/markup.ts";
import type { PortalContext } from "../sections/portal-section.ts";

/**
 * Searches the selected organisations (D-88). A POST, so that a link cannot send a person's addresses.
 *
 * @param search the submitted form. @default the person's own organisation is selected
 */
export async function searchForm(context: PortalContext, search?: PersonSearch): Promise<Markup> {
  const { deps, user } = context;
  const organisations = await suggestingOrganisations(deps, user);
  if (organisations.length === 0)
    return html`<p class="empty">No organisation implements suggestions. Enable them on the company profile.</p>`;
  const emailAddresses = await emailAddressesOf(deps, user);
  const isSelected = ({ id, isOwn }: SuggestingOrganisation): boolean => search?.organisationIds.includes(id) ?? isOwn;
  return html`
  <form method="post" action="/invitations/search" class="panel stack" role="search" aria-label="Suggestions">
    ${formTokenField(context)}
    <fieldset aria-describedby="organisations-hint">
      <legend>Organisations to search</legend>
      <p class="hint" id="organisations-hint">The selected organisations receive your email addresses: ${emailAddresses.join(", ")}.</p>
      <div class="choices long">
        ${organisations.map((organisation) => {
          const { id, name, isOwn } = organisation;
          return html`<label class="choice"><input type="checkbox" name="organisationIds" value="${id}"${isSelected(organisation) && html` checked`}> <span>${name}${isOwn && html`<small>Your organisation</small>`}</span></label>`;
        })}
      </div>
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
