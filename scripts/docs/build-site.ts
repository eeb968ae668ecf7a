import { globSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { build } from "vitepress";
import { readProofs } from "../ci/contract.ts";
import { renderContract, renderDecisions } from "./pages/render-contract.ts";
import { renderEvents } from "./pages/render-events.ts";
import { renderGlossary } from "./pages/render-glossary.ts";
import { renderOperations } from "./pages/render-operations.ts";
import { renderChangelog } from "./render-changelog.ts";
import { writeReference } from "./write-reference.ts";

const root = join(import.meta.dirname, "../..");

/**
 * Writes the pages that are generated from code, and builds the site.
 *
 * @param out an empty folder
 * @param base the path where the site is served: `/` or `/offers/`
 * @returns the paths of the pages, without an extension
 */
export async function buildSite(out: string, base: string): Promise<string[]> {
  await rm(join(root, "docs/reference"), { recursive: true, force: true });
  for (const folder of ["client", "webhook-kit"]) await writeReference(root, folder);
  await writePages();
  await build(import.meta.dirname, { outDir: out, base });
  return globSync("**/*.html", { cwd: out })
    .map((file) => file.replace(/\.html$/, ""))
    .filter((path) => path !== "404")
    .sort();
}

/** Writes the pages that exist only on the site. Git ignores them. */
export async function writePages(): Promise<void> {
  const proofs = readProofs(root);
  const pages = new Map([
    ["docs/changelog.md", renderChangelog(root)],
    ["docs/contract.md", renderContract(root, proofs)],
    ["docs/decisions.md", renderDecisions(root, proofs)],
    ["docs/glossary.md", renderGlossary(root)],
    ...renderOperations(root),
    ...renderEvents(root),
  ]);
  for (const folder of ["operations", "events"]) await rm(join(root, "docs", folder), { recursive: true, force: true });
  for (const [path, content] of pages) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), content);
  }
}
