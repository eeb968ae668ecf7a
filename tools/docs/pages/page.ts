import { dirname, relative } from "node:path/posix";

/** What a page is, for its place in the search results. */
export type PageKind = "guide" | "reference" | "error" | "project";

/** A page of the site. */
export interface Page {
  /** Where it was read, relative to the root of the repository, or to the folder that TypeDoc wrote. Its links start there. */
  readonly source: string;
  /** Its address in the site without the extension: `guides/testing`. */
  readonly path: string;
  readonly kind: PageKind;
  readonly title: string;
  /** One or two sentences in plain text. */
  readonly description: string;
  /** Words that readers search for, which the text does not have. */
  readonly keywords: readonly string[];
  /** Without front matter. */
  readonly markdown: string;
  /** What the page documents: `webhookRouter`. */
  readonly symbol?: string;
}

/** The address of a page from another one. */
export const relativePath = (from: string, to: string): string => relative(dirname(from), to);
