// Writes the declarations of a package and their source maps, for ES modules and for CommonJS. Run it in the package folder, after the
// JavaScript has been built:
//   node ../../scripts/release/emit-declarations.ts
// Each file is translated separately, so an exported type that the compiler would have to infer is an error.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import ts from "typescript";

interface Manifest {
  exports: Record<string, string | { import: { types: string } }>;
}

const { exports } = JSON.parse(readFileSync("package.json", "utf8")) as Manifest;

const compilerOptions: ts.CompilerOptions = {
  declaration: true,
  declarationMap: true,
  isolatedDeclarations: true,
  stripInternal: true,
  strict: true,
  exactOptionalPropertyTypes: true,
  target: ts.ScriptTarget.ES2023,
  module: ts.ModuleKind.NodeNext,
};

/**
 * The declarations of a published package must not import `@offers/contract`, which is private and cannot be installed. So this
 * program also emits the modules of the contract into the package, under `contract/`.
 */
const contractSources = join("..", "contract", "src");
const contractManifest = readFileSync(join("..", "contract", "package.json"), "utf8");
const contractExports = (JSON.parse(contractManifest) as { exports: Record<string, string> }).exports;
const contractImport = /(?<=(?:from |import\()["'])@offers\/contract\/([\w-]+)(?=["'])/g;

/** Returns the path of a contract module, relative to the module that imports it. */
function resolveContractPath(name: string, importer: string): string {
  const file = contractExports[`./${name}`] ?? `./src/${name}.ts`;
  return relative(dirname(importer), file.replace("./src/", "contract/")).replace(/^(?!\.)/, "./");
}

/** Matches the quoted path of a file in this package, and captures the path without its extension. */
const relativeImport = /(?<=(?:from |import\()["'])(\.{1,2}\/[^"']+)\.ts(?=["'])/g;

const modules = Object.values(exports)
  .filter((entry) => typeof entry === "object")
  .map(({ import: { types } }) => relative("dist", types).replace(/\.d\.ts$/, ""));

/** Writes the declarations of one module, for ESM and CommonJS. @returns the modules that they import */
function emitDeclarations(module: string): string[] {
  const fileName = module.startsWith("contract/")
    ? join(contractSources, `${module.replace("contract/", "")}.ts`)
    : join("src", `${module}.ts`);
  const { outputText, sourceMapText, diagnostics } = ts.transpileDeclaration(readFileSync(fileName, "utf8"), {
    fileName,
    reportDiagnostics: true,
    compilerOptions,
  });
  if (diagnostics?.length) throw new Error(ts.formatDiagnostics(diagnostics, formatHost));
  const [text = ""] = outputText.split("//# sourceMappingURL=");
  const declarations = text.replaceAll(contractImport, (_, name: string) => resolveContractPath(name, module));
  const map = { ...JSON.parse(sourceMapText ?? ""), sources: [relative(dirname(join("dist", module)), fileName)] };
  writeDeclarations(`${module}.d.ts`, declarations.replaceAll(relativeImport, "$1.js"), map);
  writeDeclarations(`${module}.d.cts`, declarations.replaceAll(relativeImport, "$1.cjs"), map);
  return [...declarations.matchAll(relativeImport)].map(([, path = ""]) => join(dirname(module), path));
}

/** Writes a declaration file and its source map to `dist/`. */
function writeDeclarations(file: string, declarations: string, map: object): void {
  const name = basename(file);
  mkdirSync(dirname(join("dist", file)), { recursive: true });
  writeFileSync(join("dist", file), `${declarations}//# sourceMappingURL=${name}.map\n`);
  writeFileSync(join("dist", `${file}.map`), JSON.stringify({ ...map, file: name }));
}

const formatHost: ts.FormatDiagnosticsHost = {
  getCanonicalFileName: (file) => file,
  getCurrentDirectory: () => process.cwd(),
  getNewLine: () => "\n",
};

// The loop also visits the modules that it appends.
const emittedModules = new Set<string>();
for (const module of modules) {
  if (emittedModules.has(module)) continue;
  emittedModules.add(module);
  modules.push(...emitDeclarations(module));
}
