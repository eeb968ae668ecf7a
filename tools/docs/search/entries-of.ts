import type { Page } from "../pages/page.ts";
import type { RenderedPage } from "../render/renderer.ts";
import type { SearchEntry } from "./search-pages.ts";

/** How much of a section is searched: tables of decisions and their tests would hide the guides. */
const maxText = 1_500;

/** The sections of a page, for the index. */
export function entriesOf(page: Page, { sections }: RenderedPage): Omit<SearchEntry, "id">[] {
  const { title, keywords, path, kind, description } = page;
  return sections.map(({ heading, text }) => {
    const isTop = heading.level === 1;
    return {
      title,
      heading: isTop ? "" : heading.text,
      keywords: isTop ? keywords.join(" ") : "",
      text: (isTop ? `${description} ${text}` : text).slice(0, maxText),
      path,
      fragment: isTop ? "" : heading.id,
      kind,
    };
  });
}
