import type { Markup } from "../layout/markup.ts";

/** The content of a page, without the layout. */
export interface Page {
  /** 422 when a form is shown again with its errors (D-83). @default 200 */
  status?: number;
  /** Title of the document, which screen readers read first. */
  title: string;
  main: Markup;
}

/** The redirect (303) after a successful form, with a notice for the next page. */
export interface Redirect {
  to: string;
  notice?: string;
}

export type PageResult = Page | Redirect;
