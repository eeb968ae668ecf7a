import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import GithubSlugger from "github-slugger";
import createMarkdownIt, { type Env, type MarkdownIt, type Token } from "markdown-it";
import type { Page } from "../pages/page.ts";
import { relativePath } from "../pages/page.ts";
import { highlighting } from "./highlighter.ts";

export interface Heading {
  readonly level: number;
  readonly id: string;
  readonly text: string;
}

/** A heading and what follows it, for the search. */
export interface Section {
  readonly heading: Heading;
  readonly text: string;
}

export interface RenderedPage {
  readonly html: string;
  readonly headings: readonly Heading[];
  readonly sections: readonly Section[];
}

interface Environment extends Env {
  page: Page;
  headings: Heading[];
}

/** Renders the Markdown of pages, whose links are already those of the site. */
export class Renderer {
  readonly #markdown: MarkdownIt;
  readonly #root: string;

  private constructor(root: string, markdown: MarkdownIt) {
    this.#root = root;
    this.#markdown = markdown;
  }

  /** @param symbols the paths of the pages of the API reference, by the name that they document */
  static async create(root: string, symbols: ReadonlyMap<string, string>): Promise<Renderer> {
    const markdown = createMarkdownIt({ html: true });
    (await highlighting())(markdown);
    const renderer = new Renderer(root, markdown);
    markdown.core.ruler.push("headings", (state) => identifyHeadings(state.tokens, state.env as Environment));
    markdown.core.ruler.push("symbols", (state) => linkSymbols(state.tokens, state.env as Environment, symbols));
    markdown.core.ruler.push("pages", (state) => linkHtml(state.tokens));
    const { rules } = markdown.renderer;
    rules.table_open = () => '<div class="table" tabindex="0"><table>\n';
    rules.table_close = () => "</table></div>\n";
    rules.image = (tokens, index, _options, env) => renderer.#image(tokens[index] as Token, (env as Environment).page);
    return renderer;
  }

  render(page: Page, source: string): RenderedPage {
    const env: Environment = { page, headings: [] };
    const tokens = this.#markdown.parse(source, env);
    const html = this.#markdown.renderer.render(tokens, this.#markdown.options, env);
    return { html, headings: env.headings, sections: sectionsOf(tokens, env.headings) };
  }

  /** A drawing becomes a part of the page, so that it takes the page's colours. */
  #image(token: Token, page: Page): string {
    const source = String(token.attrGet("src") ?? "");
    const alt = escapeHtml(token.content);
    if (!source.endsWith(".svg")) return `<img src="${source}" alt="${alt}" loading="lazy">`;
    const file = join(this.#root, "docs", join(dirname(page.path), source));
    const svg = readFileSync(file, "utf8")
      .replace(/^<!--[\s\S]*?-->\n/, "")
      .replace(/<style>[\s\S]*?<\/style>\n?/, "")
      .replace("<svg", `<svg role="img" aria-label="${alt}"`);
    return `<span class="drawing" tabindex="0">${svg.trim()}</span>`;
  }
}

/** The ids are those of GitHub, so that a link works on both. */
function identifyHeadings(tokens: Token[], env: Environment): void {
  const slugger = new GithubSlugger();
  for (const [index, token] of tokens.entries()) {
    const inline = tokens[index + 1];
    if (token.type !== "heading_open" || !inline) continue;
    const text = textOf(inline);
    const id = slugger.slug(text);
    token.attrSet("id", id);
    env.headings.push({ level: Number(token.tag.slice(1)), id, text });
  }
}

/** `webhookRouter` in the text of a guide becomes a link to its reference. */
function linkSymbols(tokens: Token[], { page }: Environment, symbols: ReadonlyMap<string, string>): void {
  if (page.kind === "reference") return;
  for (const [index, { type, children }] of tokens.entries()) {
    if (type !== "inline" || !children || tokens[index - 1]?.type === "heading_open") continue;
    let isLink = false;
    const linked: Token[] = [];
    for (const child of children) {
      if (child.type === "link_open") isLink = true;
      if (child.type === "link_close") isLink = false;
      const path =
        child.type === "code_inline" && !isLink ? symbols.get(child.content.replace(/\(.*\)$/, "")) : undefined;
      if (path !== undefined) linked.push(...wrap(child, `${relativePath(page.path, path)}.md`));
      else linked.push(child);
    }
    children.splice(0, children.length, ...linked);
  }
}

function wrap(child: Token, href: string): Token[] {
  const Constructor = child.constructor as new (type: string, tag: string, nesting: -1 | 0 | 1) => Token;
  const open = new Constructor("link_open", "a", 1);
  open.attrSet("href", href);
  return [open, child, new Constructor("link_close", "a", -1)];
}

/** A link to the Markdown of a page becomes one to its HTML. */
function linkHtml(tokens: Token[]): void {
  for (const { children } of tokens)
    for (const child of children ?? []) {
      const href = child.type === "link_open" ? String(child.attrGet("href") ?? "") : "";
      if (href && !/^[a-z]+:/.test(href)) child.attrSet("href", href.replace(/\.md(?=#|$)/, ".html"));
    }
}

function sectionsOf(tokens: readonly Token[], headings: readonly Heading[]): Section[] {
  const texts: string[] = [];
  let number = -1;
  for (const [index, token] of tokens.entries()) {
    if (token.type === "heading_open") number += 1;
    const isHeading = tokens[index - 1]?.type === "heading_open";
    if (number < 0 || isHeading) continue;
    if (token.type === "inline") texts[number] = `${texts[number] ?? ""} ${textOf(token)}`;
    if (token.type === "fence") texts[number] = `${texts[number] ?? ""} ${token.content}`;
  }
  return headings.map((heading, index) => ({ heading, text: (texts[index] ?? "").replace(/\s+/g, " ").trim() }));
}

const textOf = ({ children }: Token): string =>
  (children ?? [])
    .map(({ type, content }) => (type === "text" || type === "code_inline" ? content : type === "softbreak" ? " " : ""))
    .join("");

export const escapeHtml = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
