import type { Request } from "express";
import { html } from "hono/html";
import { textRemedy } from "../../http/storable-text.ts";
import type { Markup } from "./markup.ts";

export interface CutList<Row> {
  shown: readonly Row[];
  /** To the parts before and after this one; nothing when it is all there is. */
  links: Markup | undefined;
}

export interface ListCut<Row> {
  /** How many one part shows. The list is read with one more, which tells that there are. */
  limit: number;
  /** What this part begins after; undefined for the first one. */
  after: string | undefined;
  keyOf(row: Row): string | number;
  /** Of the part after what has this key. */
  addressOf(key: string | undefined): string;
  /** @default Newest and Older */
  words?: { first: string; next: string };
}

/** A long list in parts, with plain links between them. */
export function cutList<Row>(rows: readonly Row[], { limit, after, ...cut }: ListCut<Row>): CutList<Row> {
  const { keyOf, addressOf, words = { first: "Newest", next: "Older" } } = cut;
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1) : undefined;
  const link = (word: string, key?: string): Markup =>
    html`<a class="button quiet small" href="${addressOf(key)}">${word}</a>`;
  if (after === undefined && last === undefined) return { shown, links: undefined };
  const links = html`
        <p class="row">
          ${after !== undefined && link(words.first)}
          ${last !== undefined && link(words.next, String(keyOf(last)))}
        </p>`;
  return { shown, links };
}

/** The key in the page's address, such as `before`; undefined when there is none that could be one. */
export function keyIn({ url }: Request, name: string): string | undefined {
  const key = new URLSearchParams(url.split("?")[1]).get(name) ?? "";
  return key === "" || textRemedy(key) !== undefined ? undefined : key;
}

/** The same for keys that are numbers. */
export function numberIn(request: Request, name: string): number | undefined {
  const key = Number(keyIn(request, name));
  return Number.isSafeInteger(key) && key > 0 ? key : undefined;
}

/** `/offers?before=offer_1` */
export const withKey = (path: string, name: string, key: string | undefined): string =>
  key === undefined ? path : `${path}?${new URLSearchParams({ [name]: key })}`;
