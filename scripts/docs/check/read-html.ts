import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type HTMLElement, parse } from "node-html-parser";

/** Parses a page of the built site. */
export const readHtml = (site: string, page: string): HTMLElement =>
  parse(readFileSync(join(site, `${page}.html`), "utf8"), { comment: false });
