import { html, raw } from "hono/html";
import type { NavigationSection } from "../pages/navigation.ts";
import { type Page, relativePath } from "../pages/page.ts";
import type { Heading, RenderedPage } from "./renderer.ts";

export interface Layout {
  readonly navigation: readonly NavigationSection[];
  /** The pages of each module of the API reference, by the folder of the module. */
  readonly modules: readonly Module[];
}

export interface Module {
  readonly page: Page;
  /** What it exports. */
  readonly members: readonly Page[];
}

/** A whole page. It loads its style and one small script, and the search when it is opened. */
export function printLayout(page: Page, { html: content, headings }: RenderedPage, layout: Layout): string {
  const to = (path: string) => relativePath(page.path, path);
  const root = "../".repeat(page.path.split("/").length - 1);
  const isHome = page.path === "index";
  const name = page.path.slice(page.path.lastIndexOf("/") + 1);
  return `${html`<!doctype html>
<html lang="en" data-root="${root}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${isHome ? "Offers: documentation" : `${page.title} · Offers`}</title>
<meta name="description" content="${page.description}">
<link rel="alternate" type="text/markdown" href="${name}.md">
<link rel="stylesheet" href="${to("site.css")}">
<script src="${to("site.js")}"></script>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header>
<button type="button" class="menu" aria-controls="navigation" aria-expanded="false">Menu</button>
<a class="brand" href="${to("index.html")}">Offers</a>
<button type="button" class="search">Search<kbd>/</kbd></button>
<button type="button" class="theme">Theme: system</button>
</header>
<nav id="navigation" aria-label="Pages">
${printNavigation(page, layout)}
</nav>
<main id="content" tabindex="-1">
<article>
${raw(content)}
</article>
<footer>
<a href="${name}.md">This page as Markdown</a>
<a href="https://github.com/offers/offers">Source</a>
</footer>
</main>
${printContents(headings)}
<dialog aria-label="Search">
<form method="dialog" role="search">
<label for="query">Search the guides, the reference and the error codes</label>
<div><input id="query" type="search" autocomplete="off" spellcheck="false"><button type="submit">Close</button></div>
</form>
<p class="status" role="status"></p>
<ol class="results"></ol>
</dialog>
</body>
</html>
`}`;
}

function printNavigation(page: Page, { navigation, modules }: Layout) {
  const link = (target: Page, title = target.title) => {
    const isOpen = page.kind === "error" && target.path === "errors/index";
    const current = target.path === page.path ? raw(' aria-current="page"') : isOpen ? raw(' aria-current="true"') : "";
    return html`<a href="${relativePath(page.path, target.path)}.html"${current}>${title}</a>`;
  };
  const open = modules.find((module) => module.page.path === page.path || module.members.includes(page));
  return html`${navigation.map(
    ({ title, pages }) => html`<h2>${title}</h2>
<ul>
${pages.map((one) => html`<li>${link(one)}</li>\n`)}</ul>
`,
  )}<h2>Modules</h2>
<ul>
${modules.map(
  (module) => html`<li>${link(module.page)}${
    module === open && module.members.length > 0
      ? html`<ul>
${module.members.map((member) => html`<li>${link(member, member.symbol)}</li>\n`)}</ul>`
      : ""
  }</li>
`,
)}</ul>`;
}

/** The headings of the page, where there are several. */
function printContents(headings: readonly Heading[]) {
  const shown = headings.filter(({ level }) => level === 2 || level === 3);
  if (shown.length < 2) return "";
  return html`<nav class="contents" aria-label="On this page">
<h2>On this page</h2>
<ul>
${shown.map(({ level, id, text }) => html`<li class="level-${level}"><a href="#${id}">${text}</a></li>\n`)}</ul>
</nav>`;
}
