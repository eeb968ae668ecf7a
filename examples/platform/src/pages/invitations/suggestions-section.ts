import { html } from "hono/html";
import { referenceOf } from "../../profile-images/profile-image-reference.ts";
import type { OrganisationResult } from "../../suggestions/search-all.ts";
import { formTokenField } from "../layout/form-token.ts";
import type { Markup } from "../layout/markup.ts";
import { idempotencyField } from "../routing/submit-once.ts";
import { suggestionCard } from "./suggestion-card.ts";

export interface SuggestionsContext {
  encryptionKey: Uint8Array;
  formToken: string;
  sessionId: string;
  filter: string;
  /** Prefix of the element ids. */
  prefix: string;
  /** Whether the user's organisation invited this address recently. */
  isInvited(emailAddress: string): boolean;
}

/** The people whom an organisation suggests, or why there are none. */
export function suggestionsSection(result: OrganisationResult, context: SuggestionsContext): Markup {
  const { organisation } = result;
  const { prefix, filter, formToken } = context;
  const heading = html`<h2 id="${prefix}-heading">${organisation.name}</h2>`;
  if ("failure" in result)
    return html`
    <section class="panel" aria-labelledby="${prefix}-heading">
      ${heading}
      <p class="notice bad">${organisation.name} returned no suggestions: ${result.failure.message}</p>
    </section>`;
  if (result.suggestions.length === 0)
    return html`
    <section class="panel" aria-labelledby="${prefix}-heading">
      ${heading}
      <p class="empty">${filter === "" ? "Your addresses are not known there" : "No person matches"}.</p>
    </section>`;
  const cards = result.suggestions.map((suggestion, index) => {
    const url = suggestion.profileImageUrl;
    const reference = url === undefined ? undefined : referenceOf(url, context.encryptionKey, context.sessionId);
    return suggestionCard({
      suggestion,
      id: `${prefix}-${index}`,
      imagePath: reference && `/invitations/images/${reference}`,
      isInvited: context.isInvited(suggestion.emailAddress),
    });
  });
  return html`
    <section class="panel" aria-labelledby="${prefix}-heading">
      ${heading}
      <form method="post" action="/invitations">
        ${formTokenField({ formToken })}
        ${idempotencyField()}
        <input type="hidden" name="organisationId" value="${organisation.id}">
        <input type="hidden" name="filter" value="${filter}">
        <ul class="people">${cards}</ul>
        <button>Invite selected people</button>
      </form>
    </section>`;
}
