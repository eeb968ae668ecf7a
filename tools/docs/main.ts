// Builds the documentation site into docs/site: npm run docs
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { buildSite } from "./build-site.ts";

const root = join(import.meta.dirname, "../..");
const out = join(root, "docs/site");
await rm(out, { recursive: true, force: true });
const pages = await buildSite(root, out);
console.log(`${pages.length} pages in docs/site; open docs/site/index.html`);
