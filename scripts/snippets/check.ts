// Type-checks every ts snippet that a reader could copy: those in the guides, the READMEs and the site's pages, and the @example of
// every docstring. Each is written to a module in a folder named .snippets: in its package if it belongs to one, otherwise here, where
// the packages that the guides import are installed.
import { execFileSync } from "node:child_process";
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { printEvents } from "../docs/pages/print-events.ts";
import { printOperations } from "../docs/pages/print-operations.ts";
import { findSnippets, type Snippet } from "./read.ts";

const root = resolve(import.meta.dirname, "../..");
const sources = globSync(
  ["README.md", "docs/**/*.md", "{packages,examples}/*/{README,OPERATING}.md", "packages/*/src/**/*.ts"],
  {
    cwd: root,
    exclude: (path) =>
      /(^|\/)(generated|node_modules|dist|site|reference|operations|events)(\/|$)|\.test\.ts$/.test(path),
  },
);
const contents = new Map([
  ...sources.map((source): [string, string] => [source, readFileSync(join(root, source), "utf8")]),
  ...printOperations(root),
  ...printEvents(root),
]);

for (const folder of globSync("{packages/*,examples/*,scripts/snippets}/.snippets", { cwd: root }))
  rmSync(join(root, folder), { recursive: true });

/** Each snippet by its file, relative to the root. */
const snippets = new Map<string, Snippet>();
for (const [source, content] of contents) {
  const workspace = /^(?:packages|examples)\/[^/]+/.exec(source)?.[0] ?? relative(root, import.meta.dirname);
  for (const snippet of findSnippets(source, content))
    snippets.set(`${workspace}/.snippets/${snippets.size + 1}.ts`, snippet);
}
for (const [path, { code }] of snippets) {
  mkdirSync(join(root, dirname(path)), { recursive: true });
  writeFileSync(join(root, path), code);
}

/** Finds the compiler's errors, each with its line in the document. */
function findTypeErrors(): string[] {
  const tsc = join(root, "node_modules/typescript7/bin/tsc");
  try {
    execFileSync(process.execPath, [tsc, "--singleThreaded", "--pretty", "false", "-p", import.meta.dirname], {
      cwd: root,
      encoding: "utf8",
    });
    return [];
  } catch (error) {
    const { stdout } = error as { stdout: string };
    return stdout.split("\n").map((text) =>
      text.replace(/^(\S+)\((\d+),\d+\)/, (place, path: string, line: string) => {
        const snippet = snippets.get(path);
        return snippet ? `${snippet.source}:${snippet.line + Number(line)}` : place;
      }),
    );
  }
}

// Without an error listener, losing an idle connection to PostgreSQL or Redis crashes the process.
const opensConnection = /\b(?:new Pool|drizzle|createClient)\(/;
const missingListeners = [...snippets.values()]
  .filter(({ code }) => opensConnection.test(code) && !code.includes('.on("error"'))
  .map(({ source, line }) => `${source}:${line}: nothing listens for the connection's "error" event`);

const errors = [...missingListeners, ...findTypeErrors()];
if (errors.length > 0) {
  console.error(errors.join("\n"));
  process.exit(1);
}
console.log(`${snippets.size} snippets compile`);
