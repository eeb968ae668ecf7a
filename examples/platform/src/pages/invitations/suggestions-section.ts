import { referenceOf } from "../../profile-images/profile-image-reference.ts";
import type { Suggestions } from "../../suggestions/check-suggestions.ts";
import type { OrganisationResult } from "../../suggestions/search-all.ts";
import { formTokenField } from "../layout/field.ts";
import { html, type Markup } from "../layout/markup.ts";
import { idempotencyField } from "../routing/submit-once.ts";
import type { PortalContext } from "../sections/portal-section.ts";

interface SuggestionsView {
  filter: string;
  /** Prefix of the element ids. */
  prefix: string;
  /** Whether the user's organisation invited this address recently. */
  isInvited(emailAddress: string): boolean;
}

/** The people whom an organisation suggests, or why there are none. */
export function suggestionsSection(context: PortalContext, result: OrganisationResult, view: SuggestionsView): Markup {
  const { organisation } = result;
  return html`
    <section class="panel" aria-labelledby="${view.prefix}-heading">
      <h2 id="${view.prefix}-heading">${organisation.name}</h2>
      ${
        "failure" in result
          ? html`<p class="notice bad">${organisation.name} returned no suggestions: ${result.failure.message}</p>`
          : result.suggestions.length === 0
            ? html`<p class="empty">${view.filter === "" ? "Your addresses are not known there" : "No person matches"}.</p>`
            : inviteForm(context, organisation.id, result.suggestions, view)
      }
    </section>`;
}

function inviteForm(
  context: PortalContext,
  organisationId: string,
  suggestions: Suggestions,
  { prefix, filter, isInvited }: SuggestionsView,
): Markup {
  const { deps, session } = context;
  const cards = suggestions.map((suggestion, index) => {
    const url = suggestion.profileImageUrl;
    const reference = url === undefined ? undefined : referenceOf(url, deps.encryptionKey, session.id);
    return suggestionCard({
      suggestion,
      id: `${prefix}-${index}`,
      imagePath: reference && `/invitations/images/${reference}`,
      isInvited: isInvited(suggestion.emailAddress),
    });
  });
  return html`
      <form method="post" action="/invitations">
        ${formTokenField(context)}
        ${idempotencyField()}
        <input type="hidden" name="organisationId" value="${organisationId}">
        <input type="hidden" name="filter" value="${filter}">
        <ul class="people">${cards}</ul>
        <button>Invite selected people</button>
      </form>`;
}

interface SuggestionCard {
  suggestion: Suggestions[number];
  /** Element id. */
  id: string;
  /** Path of the picture; undefined without one. */
  imagePath: string | undefined;
  /** A recently invited person cannot be selected. */
  isInvited: boolean;
}

/** A suggested person: name, picture, and ratings with their provider and the last day of work. */
const suggestionCard = ({ suggestion, id, imagePath, isInvited }: SuggestionCard): Markup => html`
  <li class="person">
    <input type="checkbox" id="${id}" name="person" value="${fieldValue(suggestion)}"${isInvited && html` disabled`}>
    <span class="portrait" aria-hidden="true">${initials(suggestion.name)}${
      imagePath && html`<img src="${imagePath}" alt="" width="56" height="56" loading="lazy">`
    }</span>
    <div>
      <label for="${id}">${suggestion.name}</label>
      <p class="fine">${suggestion.emailAddress}${isInvited && html` <span class="badge">already invited</span>`}</p>
      ${
        suggestion.ratings.length === 0
          ? html`<p class="fine">No ratings</p>`
          : html`<ul class="ratings">${suggestion.ratings.map(rating)}</ul>`
      }
    </div>
  </li>`;

/** The form value of a selected person. */
const fieldValue = ({ name, emailAddress }: Suggestions[number]): string => JSON.stringify({ name, emailAddress });

const rating = ({ rating, ratingProvider, lastWorked }: Suggestions[number]["ratings"][number]): Markup => html`
  <li>
    <span class="stars" aria-hidden="true">${"★".repeat(rating)}<span>${"★".repeat(5 - rating)}</span></span>
    <span class="unseen">${rating} of 5</span>
    ${ratingProvider}
    <span class="fine">Last worked there <time datetime="${lastWorked}">${day(lastWorked)}</time></span>
  </li>`;

const dayFormat = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "short",
  year: "numeric",
  timeZone: "UTC",
});

const day = (moment: string): string => dayFormat.format(new Date(moment));

/** Shown without a picture. */
const initials = (name: string): string =>
  name
    .split(/\s+/)
    .flatMap((word) => [...word].slice(0, 1))
    .filter((_, index, all) => index === 0 || index === all.length - 1)
    .join("")
    .toLocaleUpperCase("en");
