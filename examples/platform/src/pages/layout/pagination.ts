import type { Request } from "express";
import { html } from "hono/html";
import type { ListCursor, ListKey } from "../../lists/list-cursor.ts";
import { textProblem } from "../../validation/text-problem.ts";
import type { Markup } from "./markup.ts";

export interface PageLinks {
  /** Cursor of this page; undefined for the first. */
  after: string | undefined;
  /** Cursor of the next page; null after the last. */
  next: string | null;
  /** The URL of the page after this cursor. */
  addressOf(key: string | undefined): string;
  /** @default Newest and Older */
  words?: { first: string; next: string };
}

/** Links to the first and the next page of a list; nothing for a list of one page. */
export function pageLinks({ after, next, addressOf, words = newestFirst }: PageLinks): Markup | undefined {
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

export interface PageOptions<Row> extends Omit<PageLinks, "next"> {
  /** Rows per page. Pass one more row to show that there is a next page. */
  limit: number;
  keyOf(row: Row): string | number;
}

/** Splits a list that is not ordered by time into pages by the key of a row. */
export function paginate<Row>(rows: readonly Row[], { limit, keyOf, ...part }: PageOptions<Row>) {
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1) : undefined;
  return { shown, links: pageLinks({ ...part, next: last === undefined ? null : String(keyOf(last)) }) };
}

/** A query parameter of the page, such as `before`; undefined when it is missing or not storable text. */
export function cursorFrom({ url }: Request, name: string): string | undefined {
  const key = new URLSearchParams(url.split("?")[1]).get(name) ?? "";
  return key === "" || textProblem(key) !== undefined ? undefined : key;
}

/** The position in a list from the query parameter `before`; without a valid one the list begins with the newest row. */
export function positionFrom(
  request: Request,
  cursor: ListCursor,
): { after: string | undefined; before: ListKey | undefined } {
  const after = cursorFrom(request, "before");
  const before = after === undefined ? undefined : cursor.read(after);
  return { after: before && after, before };
}

const maxInteger = 2 ** 31 - 1;

/** The same for a positive PostgreSQL `integer`; a larger number would fail the query. */
export function numberFrom(request: Request, name: string): number | undefined {
  const key = Number(cursorFrom(request, name));
  return Number.isInteger(key) && key > 0 && key <= maxInteger ? key : undefined;
}

/** `/offers?before=offer_1` */
export const withCursor = (path: string, name: string, key: string | undefined): string =>
  key === undefined ? path : `${path}?${new URLSearchParams({ [name]: key })}`;
