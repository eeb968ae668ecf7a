import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import ts from "typescript";
import { expect, test } from "vitest";

interface Manifest {
  exports: Record<string, string | { import: { types: string } }>;
}

const packages = resolve(import.meta.dirname, "../../packages");

/** Members of types that describe an object from a library or runtime. Users pass that object, whose documentation explains them. */
const foreignMembers =
  /^(DrizzleDatabase|FastifyApp|HttpServer|IoRedisClient|KyselyDatabase|Lambda\w+|MysqlPool|NodeRedisClient|PgPool|Pglite|PrismaDatabase|ReceiverApp|Runtime\w+|Signal|Span|SqliteDatabase|Tracer|Url)\./;

/** An error's `name` needs no documentation, and the members of these types are shown under the names that use them. */
const selfExplanatoryMembers = /Error\.name$|^(OperationErrorCodes|Data|OperationResult|WithCode)\./;

/**
 * Finds the exports of a package, and the options and fields of their types, that have no documentation for an editor to show. Reads the
 * published declarations, so the packages must be built.
 *
 * @param transform changes the text of each declaration file
 */
function findUndocumented(name: string, transform = (text: string) => text): string[] {
  const folder = join(packages, name);
  const { exports } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;
  const entries = Object.values(exports).flatMap((entry) => {
    const file = typeof entry === "string" ? entry : entry.import.types;
    return file.endsWith(".json") ? [] : [resolve(folder, file.replace(/\.js$/, ".d.ts"))];
  });
  const options: ts.CompilerOptions = { module: ts.ModuleKind.NodeNext, noLib: true, types: [] };
  const host = ts.createCompilerHost(options);
  const { readFile } = host;
  host.readFile = (file) => transform(readFile(file) ?? "");
  // Do not load libraries, because only the documentation of this package is checked.
  host.resolveModuleNameLiterals = (literals, importer) =>
    literals.map(({ text }) => {
      if (!text.startsWith(".")) return { resolvedModule: undefined };
      const resolvedFileName = join(dirname(importer), text.replace(/\.js$/, ".d.ts"));
      return { resolvedModule: { resolvedFileName, extension: ts.Extension.Dts } };
    });
  expect(entries.filter((file) => !existsSync(file))).toEqual([]);
  const program = ts.createProgram(entries, options, host);
  const checker = program.getTypeChecker();
  // openapi-typescript generates the excluded file with the contract's descriptions.
  const isHandwritten = (node: ts.Node) => !node.getSourceFile().fileName.includes("/generated/openapi.");
  const resolveAlias = (symbol: ts.Symbol) =>
    symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  const hasDocumentation = (symbol: ts.Symbol) => symbol.getDocumentationComment(checker).length > 0;

  const undocumented = new Set<string>();
  const visited = new Set<ts.Node>();
  const visit = (node: ts.Node, path: string): void => {
    if (visited.has(node)) return;
    visited.add(node);
    let innerPath = path;
    if ((ts.isTypeElement(node) || ts.isClassElement(node)) && node.name && ts.isMemberName(node.name)) {
      if (ts.isPrivateIdentifier(node.name)) return;
      innerPath = `${path}.${node.name.text}`;
      const symbol = checker.getSymbolAtLocation(node.name);
      if (symbol && !hasDocumentation(symbol)) undocumented.add(innerPath);
    }
    const referenced = ts.isIdentifier(node) ? checker.getSymbolAtLocation(node) : undefined;
    for (const declaration of (referenced && resolveAlias(referenced).declarations) ?? []) {
      const isType = ts.isInterfaceDeclaration(declaration) || ts.isTypeAliasDeclaration(declaration);
      if (isType && isHandwritten(declaration)) visit(declaration, declaration.name.text);
    }
    ts.forEachChild(node, (child) => visit(child, innerPath));
  };
  for (const entry of entries) {
    const module = checker.getSymbolAtLocation(program.getSourceFile(entry) as ts.SourceFile);
    for (const exported of module ? checker.getExportsOfModule(module) : []) {
      const declarations = (resolveAlias(exported).declarations ?? []).filter(isHandwritten);
      if (declarations.length > 0 && !hasDocumentation(resolveAlias(exported))) undocumented.add(exported.name);
      for (const declaration of declarations) visit(declaration, exported.name);
    }
  }
  return [...undocumented].filter((path) => !foreignMembers.test(path) && !selfExplanatoryMembers.test(path)).sort();
}

test.each(["client", "webhook-kit", "cli"])(
  "an editor shows hover text for every export, option and field of %s",
  (name) => {
    expect(findUndocumented(name)).toEqual([]);
  },
);

test("findUndocumented reports an option and a field without hover text", () => {
  const removeTwoDocstrings = (text: string) =>
    text
      .replace(/\/\*\* The maximum number of retries; 0 disables them\..*?\*\//, "")
      .replace(/\/\*\* When the offer was .*?\*\//, "");
  expect(findUndocumented("client", removeTwoDocstrings)).toEqual([
    "Offer.createdAt",
    "OffersClientOptions.maxRetries",
  ]);
});

test.each(["client", "webhook-kit", "cli"])("no declaration of %s cites a decision or interface.md", (name) => {
  const citingFiles = globSync("dist/**/*.d.ts", { cwd: join(packages, name) }).filter((file) =>
    /\bD-\d{2,3}\b|interface\.md/.test(readFileSync(join(packages, name, file), "utf8")),
  );
  expect(citingFiles).toEqual([]);
});
