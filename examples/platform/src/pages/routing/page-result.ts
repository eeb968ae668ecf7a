import type { Markup } from "../layout/markup.ts";

/** A page without the frame around it. */
export interface Page {
  /** 422 when a form was refused: it is there again, with what was typed and what is wrong (D-83). @default 200 */
  status?: number;
  /** Of the document; also what a screen reader says first. */
  title: string;
  main: Markup;
}

/** Where a form leads when it had its effect (303), with what to say there. */
export interface Redirect {
  to: string;
  notice?: string;
}

export type PageAnswer = Page | Redirect;
