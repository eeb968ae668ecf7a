// Loaded when the search is opened for the first time, after search-index.js.
import { openIndex, type SearchHit } from "../search/search-pages.ts";

declare global {
  /** Set by search-index.js. */
  var offersSearchIndex: string | undefined;
}

const find = openIndex(globalThis.offersSearchIndex ?? "");
const input = document.querySelector<HTMLInputElement>("#query");
const results = document.querySelector(".results");
const status = document.querySelector(".status");
const root = document.documentElement.dataset.root ?? "";

function toItem({ title, heading, path, fragment, excerpt }: SearchHit): HTMLLIElement {
  const link = document.createElement("a");
  link.href = `${root}${path}.html${fragment === "" ? "" : `#${fragment}`}`;
  const name = document.createElement("strong");
  name.textContent = heading === "" || heading === title ? title : `${title}: ${heading}`;
  const text = document.createElement("span");
  text.textContent = excerpt;
  link.append(name, text);
  const item = document.createElement("li");
  item.append(link);
  return item;
}

function show(): void {
  const query = input?.value.trim() ?? "";
  const hits = query === "" ? [] : find(query);
  results?.replaceChildren(...hits.map(toItem));
  if (status)
    status.textContent = query === "" ? "" : hits.length === 0 ? "Nothing was found." : `${hits.length} pages`;
}

input?.addEventListener("input", show);
input?.form?.addEventListener("submit", (event) => {
  const first = results?.querySelector("a");
  if (event.submitter !== null && document.activeElement === input && first) {
    event.preventDefault();
    location.href = first.href;
  }
});
addEventListener("offers-search-opened", () => input?.focus());
input?.focus();
show();
