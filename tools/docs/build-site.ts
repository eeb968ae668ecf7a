import { cpSync, existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { build as bundle } from "esbuild";
import { printLlms } from "./llms.ts";
import { readNavigation } from "./pages/navigation.ts";
import type { Page } from "./pages/page.ts";
import { readDocuments } from "./pages/read-documents.ts";
import { readReference } from "./pages/read-reference.ts";
import { type Module, printLayout } from "./render/layout.ts";
import { Renderer } from "./render/renderer.ts";
import { Links } from "./render/rewrite-links.ts";
import { entriesOf } from "./search/entries-of.ts";
import { createIndex, type SearchEntry } from "./search/search-pages.ts";

const documented = ["client", "webhook-kit"];

/**
 * Builds the site: each page as HTML and as Markdown, the search index, llms.txt.
 *
 * @param out an empty folder
 * @returns the pages
 */
export async function buildSite(root: string, out: string): Promise<Page[]> {
  const reference = await readReferences(root);
  const pages = [...readDocuments(root), ...reference];
  const navigation = readNavigation(root, pages);
  const modules = modulesOf(reference);
  const links = new Links(root, pages);
  const renderer = await Renderer.create(root, symbolsOf(reference));
  const entries: Omit<SearchEntry, "id">[] = [];
  for (const page of pages) {
    const markdown = links.rewrite(page);
    const rendered = renderer.render(page, markdown);
    entries.push(...entriesOf(page, rendered));
    await write(join(out, `${page.path}.md`), `${markdown}\n`);
    await write(join(out, `${page.path}.html`), printLayout(page, rendered, { navigation, modules }));
  }
  const index = createIndex(entries.map((entry, id) => ({ id, ...entry })));
  // A script and not JSON: a page that was opened as a file may fetch nothing.
  await write(join(out, "search-index.js"), `globalThis.offersSearchIndex = ${JSON.stringify(index)};\n`);
  await write(join(out, "llms.txt"), printLlms(navigation, modules));
  for (const folder of ["diagrams", "benchmarks", "pictures"])
    if (existsSync(join(root, "docs", folder)))
      cpSync(join(root, "docs", folder), join(out, folder), { recursive: true });
  await buildScripts(out);
  return pages;
}

async function readReferences(root: string): Promise<Page[]> {
  const pages: Page[] = [];
  for (const folder of documented) {
    const scratch = await mkdtemp(join(tmpdir(), "offers-reference-"));
    try {
      pages.push(...(await readReference(root, folder, scratch)));
    } finally {
      await rm(scratch, { recursive: true });
    }
  }
  return pages;
}

/** The modules with what they export: a module's page is the index of its folder. */
function modulesOf(reference: readonly Page[]): Module[] {
  return reference
    .filter(({ title }) => title.startsWith("@offers/"))
    .sort((one, other) => one.title.localeCompare(other.title))
    .map((page) => {
      const folder = `${dirname(page.path)}/`;
      return { page, members: reference.filter(({ path, symbol }) => symbol !== undefined && path.startsWith(folder)) };
    });
}

/** Names that several modules document are left out. */
function symbolsOf(reference: readonly Page[]): Map<string, string> {
  const symbols = new Map<string, string>();
  const ambiguous = new Set<string>();
  for (const { symbol, path } of reference) {
    if (symbol === undefined) continue;
    if (symbols.has(symbol)) ambiguous.add(symbol);
    symbols.set(symbol, path);
  }
  for (const symbol of ambiguous) symbols.delete(symbol);
  return symbols;
}

async function buildScripts(out: string): Promise<void> {
  const browser = join(import.meta.dirname, "browser");
  await bundle({
    entryPoints: ["site.ts", "search.ts", "site.css"].map((name) => join(browser, name)),
    ...{ outdir: out, bundle: true, minify: true, target: ["es2022", "safari17.5"], logLevel: "error" },
  });
}

async function write(path: string, content: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, content);
}
