import MiniSearch, { type Options } from "minisearch";
import type { PageKind } from "../pages/page.ts";

/** A section of a page. */
export interface SearchEntry {
  readonly id: number;
  readonly title: string;
  readonly heading: string;
  readonly keywords: string;
  readonly text: string;
  /** Of the page. */
  readonly path: string;
  /** Of the section; empty for the page's beginning. */
  readonly fragment: string;
  readonly kind: PageKind;
}

/** What a reader sees of a page that was found. */
export type SearchHit = Pick<SearchEntry, "title" | "heading" | "path" | "fragment"> & { excerpt: string };

const ignored = new Set(
  "a an and are as at be by can do does for from have how i if in is it its me my of on or our should that the there this to use using want we what when where which why with you your".split(
    " ",
  ),
);

/** Splits `onWorkerOfferResponse` and `rate_limited` into words, and keeps the whole name. */
function tokenize(text: string): string[] {
  const words = text.split(/[^\p{L}\p{N}_]+/u).filter(Boolean);
  return words.flatMap((word) => {
    const parts = word.split(/_+|(?<=[\p{Ll}\p{N}])(?=\p{Lu})/u).filter(Boolean);
    return parts.length > 1 ? [word, ...parts] : parts;
  });
}

/** Lower case, without the endings of plurals and of verbs. */
function stem(term: string): string | null {
  const lower = term.toLowerCase();
  if (ignored.has(lower)) return null;
  if (lower.length < 5) return lower.replace(/(?<=[^s])s$/, "");
  return lower
    .replace(/ies$/, "y")
    .replace(/(?:ations?|ating|ated|ates?|ings?|ed|es|(?<=[^su])s)$/, "")
    .replace(/(?<=.{3})e$/, "");
}

const options: Options<SearchEntry> = {
  fields: ["title", "heading", "keywords", "text"],
  storeFields: ["title", "heading", "path", "fragment", "kind", "text"],
  tokenize,
  processTerm: stem,
};

const weights: Record<PageKind, number> = { guide: 1.5, error: 1.2, reference: 1, project: 0.5 };

/** The index, as it is kept in a file. */
export function createIndex(entries: readonly SearchEntry[]): string {
  const index = new MiniSearch(options);
  index.addAll(entries);
  return JSON.stringify(index);
}

/** Reads the index and returns the search: the best section of each page, the best page first. */
export function openIndex(json: string): (query: string) => SearchHit[] {
  const index = MiniSearch.loadJSON<SearchEntry>(json, options);
  return (query) => {
    const find = (combineWith: "AND" | "OR") =>
      index.search(query, {
        combineWith,
        boost: { title: 6, keywords: 4, heading: 3 },
        prefix: (term) => term.length > 2,
        fuzzy: (term) => (term.length > 5 ? 0.2 : false),
        // A page with the word itself comes before pages with a similar word in their titles.
        weights: { prefix: 0.375, fuzzy: 0.1 },
        boostDocument: (_id, _term, stored) => weights[stored?.kind as PageKind],
      });
    const all = find("AND");
    const found = all.length > 0 ? [...all, ...find("OR")] : find("OR");
    const hits = new Map<string, SearchHit>();
    for (const { title, heading, path, fragment, text } of found)
      if (!hits.has(path)) hits.set(path, { title, heading, path, fragment, excerpt: text.slice(0, 160) });
    return [...hits.values()].slice(0, 12);
  };
}
