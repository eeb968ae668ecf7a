import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { buildSite } from "../build-site.ts";

declare module "vitest" {
  export interface ProvidedContext {
    /** The folder of the built site. */
    site: string;
    /** The paths of its pages, without an extension. */
    pages: string[];
  }
}

/** Builds the site once for all checks. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const site = await mkdtemp(join(tmpdir(), "offers-site-"));
  const pages = await buildSite(join(import.meta.dirname, "../../.."), site);
  project.provide("site", site);
  project.provide(
    "pages",
    pages.map(({ path }) => path),
  );
  return () => rm(site, { recursive: true });
}
