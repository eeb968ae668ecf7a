// Type-checks every ts snippet that a reader could copy: those in the guides and READMEs, and the @example of every docstring. Each is
// compiled as a module next to its source; those of the guides, the site's pages and the root's README are compiled here, where their
// imports are installed.
import { globSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import ts from "typescript";
import { printEvents } from "../docs/pages/print-events.ts";
import { printOperations } from "../docs/pages/print-operations.ts";
import { type Snippet, snippetsIn } from "./read.ts";

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

const snippets = new Map<string, Snippet>();
for (const [source, content] of contents) {
  const folder = /^(packages|examples)\//.test(source) ? join(root, dirname(source)) : import.meta.dirname;
  for (const snippet of snippetsIn(source, content))
    snippets.set(join(folder, `snippet-${snippets.size + 1}.ts`), snippet);
}

const { config } = ts.readConfigFile(join(root, "tsconfig.json"), ts.sys.readFile);
const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, root);
const compilerOptions: ts.CompilerOptions = {
  ...options,
  moduleDetection: ts.ModuleDetectionKind.Force,
  noUnusedLocals: false,
  noUnusedParameters: false,
};

const host = ts.createCompilerHost(compilerOptions);
const { fileExists, readFile, getSourceFile } = host;
host.fileExists = (path) => snippets.has(path) || fileExists(path);
host.readFile = (path) => snippets.get(path)?.code ?? readFile(path);
host.getSourceFile = (path, language, ...rest) => {
  const snippet = snippets.get(path);
  return snippet ? ts.createSourceFile(path, snippet.code, language) : getSourceFile(path, language, ...rest);
};
host.getCurrentDirectory = () => root;

// Without an error listener, losing an idle connection to PostgreSQL or Redis crashes the process.
const opensConnection = /\b(?:new Pool|drizzle|createClient)\(/;
const missingListeners = [...snippets.values()]
  .filter(({ code }) => opensConnection.test(code) && !code.includes('.on("error"'))
  .map(({ source, line }) => `${source}:${line}: nothing listens for "error" of the connection`);

const program = ts.createProgram([...snippets.keys()], compilerOptions, host);
const faults = ts.getPreEmitDiagnostics(program).map(({ file, start, messageText }) => {
  const message = ts.flattenDiagnosticMessageText(messageText, "\n");
  if (!file || start === undefined) return message;
  const snippet = snippets.get(file.fileName);
  const line = file.getLineAndCharacterOfPosition(start).line + 1;
  return snippet
    ? `${snippet.source}:${snippet.line + line}: ${message}`
    : `${relative(root, file.fileName)}:${line}: ${message}`;
});

const errors = [...missingListeners, ...faults];
if (errors.length > 0) {
  console.error(errors.join("\n"));
  process.exit(1);
}
console.log(`${snippets.size} snippets compile`);
