import { html } from "hono/html";
import type { Suggestions } from "../../suggestions/check-suggestions.ts";
import type { Markup } from "../layout/markup.ts";

export interface SuggestionCard {
  suggestion: Suggestions[number];
  /** Element id. */
  id: string;
  /** Path of the picture; undefined without one. */
  imagePath: string | undefined;
  /** A recently invited person cannot be selected. */
  isInvited: boolean;
}

/** A suggested person: name, picture, and ratings with their provider and the last day of work. */
export const suggestionCard = ({ suggestion, id, imagePath, isInvited }: SuggestionCard): Markup => html`
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
