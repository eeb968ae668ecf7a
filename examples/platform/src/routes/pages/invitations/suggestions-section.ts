import type { OrganisationResult, Suggestions } from "../../../accounts/contact-suggestions.ts";
import { encryptImageUrl } from "../../../accounts/profile-images.ts";
import { formTokenField } from "../layout/field.ts";
import { html, type Markup } from "../layout/markup.ts";
import { idempotencyField } from "../routing/submit-once.ts";
import type { PortalContext } from "../sections/portal-section.ts";

interface EarlierInvitation {
  invitedAt: Date;
  invitedBy: string;
  /** Whether it is too recent to invite again (D-87). */
  isRecent: boolean;
}

interface SuggestionsView {
  filter: string;
  /** The prefix for element ids. */
  prefix: string;
  /** Returns the last invitation that the user's organisation sent to this address. */
  findEarlierInvitation(emailAddress: string): EarlierInvitation | undefined;
}

/** Renders the people that an organisation suggests, or the reason why it suggests nobody. */
export function suggestionsSection(context: PortalContext, result: OrganisationResult, view: SuggestionsView): Markup {
  const { organisation } = result;
  return html`
    <section class="panel" aria-labelledby="${view.prefix}-heading">
      <h2 id="${view.prefix}-heading">${organisation.name}</h2>
      ${resultBody(context, result, view)}
    </section>`;
}

function resultBody(context: PortalContext, result: OrganisationResult, view: SuggestionsView): Markup {
  const { organisation } = result;
  if ("failure" in result)
    return html`<p class="notice bad">${organisation.name} returned no suggestions: ${result.failure.message}</p>`;
  if (result.suggestions.length > 0) return inviteForm(context, organisation.id, result.suggestions, view);
  return html`<p class="empty">${view.filter === "" ? "This organisation does not recognise your email addresses" : "No person matches your search"}.</p>`;
}

function inviteForm(
  context: PortalContext,
  organisationId: string,
  suggestions: Suggestions,
  { prefix, filter, findEarlierInvitation }: SuggestionsView,
): Markup {
  const cards = suggestions.map((suggestion, index) =>
    suggestionCard(context, suggestion, {
      id: `${prefix}-${index}`,
      invitation: findEarlierInvitation(suggestion.emailAddress),
    }),
  );
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

/**
 * Renders a suggested person: name, picture, and ratings with their provider and the last day of work. A recently invited person cannot be
 * selected.
 */
function suggestionCard(
  { deps, session, times }: PortalContext,
  suggestion: Suggestions[number],
  { id, invitation }: { id: string; invitation: EarlierInvitation | undefined },
): Markup {
  const { name, emailAddress, ratings, profileImageUrl: url } = suggestion;
  const reference = url && encryptImageUrl(url, deps.encryptionKey, session.id);
  return html`
  <li class="person">
    <input type="checkbox" id="${id}" name="person" value="${JSON.stringify({ name, emailAddress })}"${invitation?.isRecent && html` disabled`}>
    <span class="portrait" aria-hidden="true">${initials(name)}${
      reference && html`<img src="/invitations/images/${reference}" alt="" width="56" height="56" loading="lazy">`
    }</span>
    <div>
      <label for="${id}">${name}</label>
      <p class="fine">${emailAddress}${invitation && html` <span class="badge">${invitation.isRecent ? "already invited" : "invited before"}</span> ${times.day(invitation.invitedAt)} by ${invitation.invitedBy}`}</p>
      ${ratings.length === 0 ? html`<p class="fine">No ratings</p>` : html`<ul class="ratings">${ratings.map(ratingItem)}</ul>`}
    </div>
  </li>`;
}

const ratingItem = ({ rating, ratingProvider, lastWorked }: Suggestions[number]["ratings"][number]): Markup => html`
  <li>
    <span class="stars" aria-hidden="true">${"★".repeat(rating)}<span>${"★".repeat(5 - rating)}</span></span>
    <span class="unseen">${rating} of 5</span>
    ${ratingProvider}
    <span class="fine">Last worked on <time datetime="${lastWorked}">${formatDay(lastWorked)}</time></span>
  </li>`;

const dayFormat = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "short",
  year: "numeric",
  timeZone: "UTC",
});

const formatDay = (moment: string): string => dayFormat.format(new Date(moment));

/** Returns the first letters of the first and the last word of a name, to show if there is no picture. */
const initials = (name: string): string =>
  name
    .split(/\s+/)
    .flatMap((word) => [...word].slice(0, 1))
    .filter((_, index, letters) => index === 0 || index === letters.length - 1)
    .join("")
    .toLocaleUpperCase("en");
