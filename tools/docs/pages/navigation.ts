import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { z } from "zod";
import type { Page } from "./page.ts";

const navigationSchema = z.array(z.strictObject({ title: z.string(), pages: z.array(z.string()) })).min(1);

export interface NavigationSection {
  readonly title: string;
  readonly pages: readonly Page[];
}

/** @throws for a page that does not exist */
export function readNavigation(root: string, pages: readonly Page[]): NavigationSection[] {
  const sections = navigationSchema.parse(parse(readFileSync(join(root, "docs/navigation.yaml"), "utf8")));
  const listed = new Set(sections.flatMap((section) => section.pages));
  const unlisted = pages.filter(
    ({ source, kind }) => source.startsWith("docs/") && kind !== "error" && !listed.has(source),
  );
  return sections.map(({ title, pages: sources }, index) => {
    const found = sources.map((source) => {
      const page = pages.find((one) => one.source === source);
      if (!page) throw new Error(`docs/navigation.yaml names ${source}, which does not exist`);
      return page;
    });
    return { title, pages: index === sections.length - 1 ? [...found, ...unlisted] : found };
  });
}
