import { globSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { build } from "vitepress";
import { printChangelog } from "./print-changelog.ts";
import { writeReference } from "./write-reference.ts";

const root = join(import.meta.dirname, "../..");

/**
 * Writes the pages that are made from code, and builds the site.
 *
 * @param out an empty folder
 * @param base the path under which the site is served: `/` or `/offers/`
 * @returns the paths of the pages, without an extension
 */
export async function buildSite(out: string, base: string): Promise<string[]> {
  await rm(join(root, "docs/reference"), { recursive: true, force: true });
  for (const folder of ["client", "webhook-kit"]) await writeReference(root, folder);
  await writeFile(join(root, "docs/changelog.md"), printChangelog(root));
  await build(import.meta.dirname, { outDir: out, base });
  return globSync("**/*.html", { cwd: out })
    .map((file) => file.replace(/\.html$/, ""))
    .filter((path) => path !== "404")
    .sort();
}
