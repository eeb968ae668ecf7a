import type { Request } from "express";
import { remedyForText, toSearchText } from "../../../http/fields.ts";
import type { PagedList } from "../../../http/list-cursor.ts";
import { html, type Markup } from "./markup.ts";

/** Reads one of a page's query parameters, such as `before`. Returns undefined if it is missing or empty, or if PostgreSQL cannot store it. */
export function readParameter({ url }: Request, name: string): string | undefined {
  const text = new URLSearchParams(url.split("?")[1]).get(name) ?? "";
  return text === "" || remedyForText(text) !== undefined ? undefined : text;
}

/** Reads a search text from one of a page's query parameters. Returns undefined if it is missing or empty. */
export const readSearchText = (request: Request, name: string): string | undefined =>
  toSearchText(readParameter(request, name) ?? "") || undefined;

/**
 * Reads the page of a list that the query parameter `before` selects, and renders links to other pages. Without a valid cursor, the list
 * starts with the first row.
 *
 * @param urlOf returns the URL of the page with a cursor. @default the request's path with the parameter `before`
 * @param labels the labels of the links; pass `otherOrderLabels` for a list that is not sorted newest first
 */
export async function readListPage<Deps, User, Row>(
  { deps, user, request }: { deps: Deps; user: User; request: Request },
  { cursor, read }: PagedList<Deps, User, Row>,
  limit: number,
  urlOf = (before: string | undefined) => withParameter(request.path, "before", before),
  labels: readonly [first: string, next: string] = ["Newest", "Older"],
) {
  const before = cursor.decode(readParameter(request, "before") ?? "");
  const { rows, next } = await read(deps, user, { before, limit });
  const newestLink = before && link(labels[0], urlOf(undefined));
  const olderLink = next === null ? undefined : link(labels[1], urlOf(next));
  return { rows, isNewest: before === undefined, links: linkRow(newestLink, olderLink) };
}

/**
 * Limits rows to one page of a list, and renders links to the first and the next page. The query parameter `after` is the id of the
 * previous page's last row.
 *
 * @param rows the rows of the page, plus one more if there is a next page
 * @param after the parameter's value; undefined on the first page
 */
export function paginate<Row extends { id: string | number }>(
  rows: readonly Row[],
  { path, limit, after }: { path: string; limit: number; after: string | number | undefined },
) {
  const pageRows = rows.slice(0, limit);
  const last = rows.length > limit ? pageRows.at(-1) : undefined;
  const firstLink = after === undefined ? undefined : link("First page", path);
  const moreLink = last === undefined ? undefined : link("More", withParameter(path, "after", String(last.id)));
  return { pageRows, links: linkRow(firstLink, moreLink) };
}

const link = (label: string, url: string): Markup => html`<a class="button quiet small" href="${url}">${label}</a>`;

const linkRow = (first: Markup | undefined, next: Markup | undefined): Markup | undefined =>
  first || next ? html`<p class="row">${first} ${next}</p>` : undefined;

/** Labels for the links of a list that is not sorted newest first. */
export const otherOrderLabels = ["First page", "More"] as const;

/** Appends a parameter, as in `/offers?before=offer_1`, unless its value is undefined. */
const withParameter = (path: string, name: string, value: string | undefined): string =>
  value === undefined ? path : `${path}?${new URLSearchParams({ [name]: value })}`;

const maxInteger = 2 ** 31 - 1;

/** Reads a query parameter that is a positive PostgreSQL `integer`. Returns undefined for any other value, because it would make the query fail. */
export function readNumberParameter(request: Request, name: string): number | undefined {
  const number = Number(readParameter(request, name));
  return Number.isInteger(number) && number > 0 && number <= maxInteger ? number : undefined;
}
