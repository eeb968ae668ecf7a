import { html } from "hono/html";
import type { SuggestingOrganisation } from "../../portal/suggestions/suggesting-organisations.ts";
import { formTokenField } from "../layout/form-token.ts";
import type { Markup } from "../layout/markup.ts";

export interface SearchForm {
  formToken: string;
  organisations: readonly SuggestingOrganisation[];
  /** Selected ids. @default the person's own organisation */
  ticked?: readonly string[];
  filter?: string;
  /** Sent to the selected organisations. */
  emailAddresses: readonly string[];
}

/** Searches the selected organisations (D-88). A POST, so that a link cannot send a person's addresses. */
export function searchForm({ formToken, organisations, ticked, filter = "", emailAddresses }: SearchForm): Markup {
  if (organisations.length === 0)
    return html`<p class="empty">No organisation implements suggestions. Enable them on the company profile.</p>`;
  const isTicked = ({ id, isOwn }: SuggestingOrganisation): boolean => ticked?.includes(id) ?? isOwn;
  return html`
  <form method="post" action="/invitations/search" class="panel stack" role="search" aria-label="Suggestions">
    ${formTokenField({ formToken })}
    <fieldset aria-describedby="organisations-hint">
      <legend>Organisations to ask</legend>
      <p class="hint" id="organisations-hint">The selected organisations receive your email addresses: ${emailAddresses.join(", ")}.</p>
      <div class="choices long">
        ${organisations.map((organisation) => {
          const { id, name, isOwn } = organisation;
          return html`<label class="choice"><input type="checkbox" name="organisationIds" value="${id}"${isTicked(organisation) && html` checked`}> <span>${name}${isOwn && html`<small>Your organisation</small>`}</span></label>`;
        })}
      </div>
    </fieldset>
    <div class="search">
      <label for="filter">Narrow by name, skill or role <span class="fine">optional</span></label>
      <div class="row">
        <input type="search" id="filter" name="filter" value="${filter}" maxlength="500">
        <button>Search</button>
      </div>
    </div>
  </form>`;
}
