// Builds the documentation site into docs/site: npm run docs [-- --open] [--base /prefix/]
import { spawn } from "node:child_process";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { serve } from "vitepress";
import { buildSite } from "./build-site.ts";

const options = { open: { type: "boolean", default: false }, base: { type: "string", default: "/" } } as const;
const { open, base } = parseArgs({ options }).values;
const out = join(import.meta.dirname, "../../docs/site");

await rm(out, { recursive: true, force: true });
const pages = await buildSite(out, base);
console.log(`${pages.length} pages in docs/site; npm run docs -- --open serves them`);
if (open) {
  await serve({ root: import.meta.dirname, base, port: 4173 });
  const command = { darwin: "open", win32: "explorer" }[process.platform as string] ?? "xdg-open";
  // Without a browser, the printed URL is enough.
  spawn(command, [`http://localhost:4173${base}`], { stdio: "ignore" }).on("error", () => undefined);
}
