import type { Request } from "express";
import { html } from "hono/html";
import type { ListCursor, ListKey } from "../../lists/list-cursor.ts";
import { textRemedy } from "../../validation/text-problem.ts";
import type { Markup } from "./markup.ts";

export interface PartLinks {
  /** What this part begins after; undefined for the first one. */
  after: string | undefined;
  /** What the one after it begins after; null when this is the last. */
  next: string | null;
  /** Of the part that begins after this. */
  addressOf(key: string | undefined): string;
  /** @default Newest and Older */
  words?: { first: string; next: string };
}

/** Plain links to the parts of a long list before and after this one; nothing when it is all there is. */
export function partLinks({ after, next, addressOf, words = newestFirst }: PartLinks): Markup | undefined {
  const link = (word: string, key?: string): Markup =>
    html`<a class="button quiet small" href="${addressOf(key)}">${word}</a>`;
  if (after === undefined && next === null) return undefined;
  return html`
        <p class="row">
          ${after !== undefined && link(words.first)}
          ${next !== null && link(words.next, next)}
        </p>`;
}

const newestFirst = { first: "Newest", next: "Older" };

export interface ListCut<Row> extends Omit<PartLinks, "next"> {
  /** How many one part shows. The list is read with one more, which tells that there are. */
  limit: number;
  keyOf(row: Row): string | number;
}

/** A list whose order is not one of time: its parts begin after the key of a row. */
export function cutList<Row>(rows: readonly Row[], { limit, keyOf, ...part }: ListCut<Row>) {
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1) : undefined;
  return { shown, links: partLinks({ ...part, next: last === undefined ? null : String(keyOf(last)) }) };
}

/** The key in the page's address, such as `before`; undefined when there is none that could be one. */
export function keyIn({ url }: Request, name: string): string | undefined {
  const key = new URLSearchParams(url.split("?")[1]).get(name) ?? "";
  return key === "" || textRemedy(key) !== undefined ? undefined : key;
}

/** The place in a list that the page's address names in `before`; without one that could be, the list begins with the newest. */
export function placeIn(
  request: Request,
  cursor: ListCursor,
): { after: string | undefined; before: ListKey | undefined } {
  const after = keyIn(request, "before");
  const before = after === undefined ? undefined : cursor.read(after);
  return { after: before && after, before };
}

const maxInteger = 2 ** 31 - 1;

/** The same for keys that are numbers, as PostgreSQL's `integer` has them: it fails for a larger one. */
export function numberIn(request: Request, name: string): number | undefined {
  const key = Number(keyIn(request, name));
  return Number.isInteger(key) && key > 0 && key <= maxInteger ? key : undefined;
}

/** `/offers?before=offer_1` */
export const withKey = (path: string, name: string, key: string | undefined): string =>
  key === undefined ? path : `${path}?${new URLSearchParams({ [name]: key })}`;
