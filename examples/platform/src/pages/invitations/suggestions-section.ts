import { html } from "hono/html";
import { referenceOf } from "../../profile-images/profile-image-reference.ts";
import type { OrganisationResult } from "../../suggestions/search-all.ts";
import { formTokenField } from "../layout/form-token.ts";
import type { Markup } from "../layout/markup.ts";
import { idempotencyField } from "../routing/submit-once.ts";
import { suggestionCard } from "./suggestion-card.ts";

export interface SuggestionsContext {
  sealKey: Uint8Array;
  formToken: string;
  sessionId: string;
  filter: string;
  /** Of the ids in this part of the page. */
  prefix: string;
  /** Whether the organisation of the person who looks has invited this address lately. */
  isInvited(emailAddress: string): boolean;
}

/** The people whom an organisation suggests, to pick from; or why there are none. */
export function suggestionsSection(answer: OrganisationResult, context: SuggestionsContext): Markup {
  const { organisation } = answer;
  const { prefix, filter, formToken } = context;
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
    const reference = url === undefined ? undefined : referenceOf(url, context.sealKey, context.sessionId);
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
        <button>Invite those picked</button>
      </form>
    </section>`;
}
