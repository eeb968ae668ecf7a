import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { z } from "zod";
import { firstSentences, readFrontMatter } from "./front-matter.ts";
import type { Page, PageKind } from "./page.ts";

const keywordsSchema = z.record(z.string(), z.array(z.string()));

const sources = [
  ...["docs/*.md", "docs/guides/*.md", "docs/errors/*.md"],
  ...["packages/{client,webhook-kit,cli}/README.md", "examples/platform/{README,OPERATING}.md"],
];

/** The hand-written and generated Markdown of docs/, the READMEs of the packages, and the platform's manual for operators. */
export function readDocuments(root: string): Page[] {
  const found = globSync(sources, { cwd: root }).sort();
  const others = keywordsSchema.parse(
    parse(readFileSync(join(import.meta.dirname, "../search/keywords.yaml"), "utf8")),
  );
  for (const source of Object.keys(others))
    if (!found.includes(source)) throw new Error(`keywords.yaml names ${source}, which does not exist`);
  return found.map((source) => {
    const { frontMatter, markdown } = readFrontMatter(source, readFileSync(join(root, source), "utf8"));
    const { title, description = firstSentences(markdown) } = frontMatter;
    const keywords = [...frontMatter.keywords, ...(others[source] ?? [])];
    return { source, path: pathOf(source), kind: kindOf(source), title, description, keywords, markdown };
  });
}

const pathOf = (source: string): string =>
  source
    .replace(/^docs\/home\.md$/, "docs/index.md")
    .replace(/^examples\/platform\//, "sandbox/")
    .replace(/^(?:docs|packages)\//, "")
    .replace(/README\.md$/, "index.md")
    .replace(/OPERATING\.md$/, "operating.md")
    .replace(/\.md$/, "");

function kindOf(source: string): PageKind {
  if (source.startsWith("docs/errors/")) return "error";
  if (/^docs\/(?:contract|decisions|glossary|versioning)\.md$/.test(source)) return "project";
  return "guide";
}
