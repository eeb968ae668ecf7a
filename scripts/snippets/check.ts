// Type-checks every ts snippet that a reader could copy: in the guides, the READMEs, the pages of the site, and the @example of every
// docstring. Each snippet becomes a module in a folder named .snippets. That folder is in the snippet's package or, if it has none, in this
// folder, where the packages that the guides import are installed.
import { execFileSync } from "node:child_process";
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { renderEvents } from "../docs/pages/render-events.ts";
import { renderOperations } from "../docs/pages/render-operations.ts";
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
  ...renderOperations(root),
  ...renderEvents(root),
]);

for (const folder of globSync("{packages/*,examples/*,scripts/snippets}/.snippets", { cwd: root }))
  rmSync(join(root, folder), { recursive: true });

/** Each snippet, by the path of its module relative to the root. */
const snippets = new Map<string, Snippet>();
for (const [source, content] of contents) {
  const packageFolder = /^(?:packages|examples)\/[^/]+/.exec(source)?.[0] ?? relative(root, import.meta.dirname);
  for (const snippet of findSnippets(source, content))
    snippets.set(`${packageFolder}/.snippets/${snippets.size + 1}.ts`, snippet);
}
for (const [path, { code }] of snippets) {
  mkdirSync(join(root, dirname(path)), { recursive: true });
  writeFileSync(join(root, path), code);
}

/** Runs the compiler. @returns its errors, each with its line in the document */
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
      text.replace(/^(\S+)\((\d+),\d+\)/, (position, path: string, line: string) => {
        const snippet = snippets.get(path);
        return snippet ? `${snippet.source}:${snippet.line + Number(line)}` : position;
      }),
    );
  }
}

// Without an error listener, losing an idle connection to PostgreSQL or Redis crashes the process.
const connectionPattern = /\b(?:new Pool|drizzle|createClient)\(/;
const missingListeners = [...snippets.values()]
  .filter(({ code }) => connectionPattern.test(code) && !code.includes('.on("error"'))
  .map(({ source, line }) => `${source}:${line}: nothing listens for the connection's "error" event`);

const errors = [...missingListeners, ...findTypeErrors()];
if (errors.length > 0) {
  console.error(errors.join("\n"));
  process.exit(1);
}
console.log(`${snippets.size} snippets compile`);
