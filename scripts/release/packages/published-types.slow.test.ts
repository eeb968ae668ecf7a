// Tests the types as npm delivers them. The tests of the packages compile against the sources, which may have different types.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import ts from "typescript";
import { afterAll, beforeAll, expect, test } from "vitest";
import { copyProgram, exportPrograms, strict } from "../../../tests/types/programs.ts";
import { createUnpackedProject, type UnpackedProject } from "./fresh-project.ts";
import { entries } from "./packages.ts";

const root = join(import.meta.dirname, "../../..");
let project: UnpackedProject;
let program: ts.Program;
let options: ts.CompilerOptions;

const programs = ["mts", "cts"].map((extension) => ({ extension, file: `failures.${extension}` }));

beforeAll(async () => {
  project = await createUnpackedProject();
  for (const { extension } of programs) await copyProgram("failures", extension, project.folder);
  options = ts.convertCompilerOptionsFromJson(
    {
      ...strict,
      module: "nodenext",
      verbatimModuleSyntax: false,
      lib: ["es2023", "dom", "dom.iterable"],
      types: ["node"],
      skipLibCheck: true,
      allowImportingTsExtensions: true,
    },
    root,
  ).options;
  // Compile both files in one program, because the compiler spends most of its time on the libraries.
  program = ts.createProgram(
    programs.map(({ file }) => join(project.folder, file)),
    options,
  );
}, 180_000);
afterAll(() => project.remove());

test.each(programs)("$file: error types narrow on their codes and names", ({ file }) => {
  const source = program.getSourceFile(join(project.folder, file));
  const errors = ts.getPreEmitDiagnostics(program, source).map(({ start = 0, messageText }) => {
    const line = source?.text.slice(0, start).split("\n").length;
    return `line ${line}: ${source?.text.split("\n")[Number(line) - 1]}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`;
  });
  expect(source).toBeDefined();
  expect(errors).toEqual([]);
});

test("every entry point has a program that exports the results of its functions", () =>
  expect(exportPrograms.map(({ entry }) => entry).sort()).toEqual(entries.map(({ name }) => name).sort()));

// `moduleResolution: node`, which older projects and Next 15 use, does not read `exports`.
test.each(entries)("$name resolves with moduleResolution node10", ({ name }) => {
  const { Node10 } = ts.ModuleResolutionKind;
  const importer = join(project.folder, "main.ts");
  const { resolvedModule } = ts.resolveModuleName(name, importer, { moduleResolution: Node10 }, ts.sys);
  expect(resolvedModule?.resolvedFileName).toMatch(/\/dist\/[\w-]+\.d\.c?ts$/);
});

const parsedFiles = new Map<string, ts.SourceFile | undefined>();

// Each program is compiled separately, because imports in a different program could also name the types.
test.each(exportPrograms)(
  "a project with `declaration` can name every parameter type and return type of $entry",
  async (exportProgram) => {
    const file = join(project.folder, `${exportProgram.entry.replaceAll(/\W/g, "-")}.mts`);
    await writeFile(file, exportProgram.code);
    const host = ts.createCompilerHost(options);
    const parse = host.getSourceFile;
    host.getSourceFile = (path, ...rest) => {
      if (!parsedFiles.has(path)) parsedFiles.set(path, parse(path, ...rest));
      return parsedFiles.get(path);
    };
    const separateProgram = ts.createProgram([file], { ...options, noEmit: false, declaration: true }, host);
    const source = separateProgram.getSourceFile(file) as ts.SourceFile;
    const errors = [
      ...separateProgram.getSemanticDiagnostics(source),
      ...separateProgram.getDeclarationDiagnostics(source),
    ]
      .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"))
      // The types of Express are symbolic links here, so the compiler cannot name them from the project folder.
      .filter((text) => !text.includes("@types+"));
    expect(errors).toEqual([]);

    const checker = separateProgram.getTypeChecker();
    const resolveAlias = (symbol: ts.Symbol) =>
      symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
    const { moduleSpecifier } = source.statements.find(ts.isImportDeclaration) as ts.ImportDeclaration;
    const exportedSymbols = checker
      .getExportsOfModule(checker.getSymbolAtLocation(moduleSpecifier) as ts.Symbol)
      .map(resolveAlias);
    const functions = exportedSymbols.filter(({ flags }) => flags & ts.SymbolFlags.Function);
    for (const { name } of functions) expect(exportProgram.code).toMatch(new RegExp(`\\b${name}\\b`));

    const missingExports = new Set<string>();
    const visit = (node: ts.Node): void => {
      const symbol = ts.isTypeReferenceNode(node) && checker.getSymbolAtLocation(node.typeName);
      if (symbol && !exportedSymbols.includes(resolveAlias(symbol)) && mustBeExported(resolveAlias(symbol)))
        missingExports.add(symbol.name);
      ts.forEachChild(node, visit);
    };
    for (const declaration of functions.flatMap(({ declarations = [] }) => declarations))
      if (ts.isFunctionDeclaration(declaration)) declaration.parameters.forEach(visit);
    expect([...missingExports]).toEqual([]);
  },
);

/** Whether this type must be exported: one of our packages declares it, and docstrings do not show it inline (`@inline`). */
function mustBeExported(type: ts.Symbol): boolean {
  if (type.flags & ts.SymbolFlags.TypeParameter) return false;
  const isOurs = type.declarations?.[0]?.getSourceFile().fileName.includes("/@offers/") === true;
  return isOurs && !type.getJsDocTags().some(({ name }) => name === "inline");
}
