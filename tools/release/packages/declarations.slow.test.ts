// The declarations that npm delivers, as editors and resolvers see them. published-types.test.ts compiles programs against them.
import { execFile } from "node:child_process";
import { glob, readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { promisify } from "node:util";
import { launchServer } from "@typescript/server-harness";
import ts from "typescript";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { strict } from "../../compatibility/types-matrix/programs.ts";
import { type UnpackedProject, unpackedProject } from "./fresh-project.ts";
import { type Entry, entries, pack, packageNames } from "./packages.ts";

const root = join(import.meta.dirname, "../../..");
let project: UnpackedProject;
let program: ts.Program;
/** Of all packages at once: they share the libraries, and the compiler takes most of its time for these. */
let emitted: Map<string, string> | undefined;
// An editor's server: it alone follows declaration maps; the compiler does not.
const languageServer = launchServer(createRequire(import.meta.url).resolve("typescript/lib/tsserver.js"), [
  "--disableAutomaticTypingAcquisition",
  "--suppressDiagnosticEvents",
]);

let seq = 0;

const delivered = ({ declarations }: Entry, format: "import" | "require") =>
  join(project.folder, "node_modules", declarations[format]);

beforeAll(async () => {
  project = await unpackedProject();
  const { options } = ts.convertCompilerOptionsFromJson(
    { ...strict, module: "nodenext", lib: ["es2023", "dom", "dom.iterable"], types: ["node"], skipLibCheck: true },
    root,
  );
  program = ts.createProgram(
    entries.flatMap((entry) => [delivered(entry, "import"), delivered(entry, "require")]),
    options,
  );
}, 180_000);
afterAll(async () => {
  await languageServer.exitOrKill(5_000);
  await project.remove();
});

test.each(packageNames)("the tarball of %s has types that resolve alike for importers and requirers", async (name) => {
  // Without node10, which knows no subpath exports.
  const tarball = await pack(name, project.folder);
  const { stdout } = await promisify(execFile)("attw", ["--profile", "node16", "--format", "json", tarball]);
  const { analysis } = JSON.parse(stdout) as { analysis: { problems: { resolutionKind?: string }[] } };
  expect(analysis.problems.filter(({ resolutionKind }) => resolutionKind !== "node10")).toEqual([]);
});

const both = entries.flatMap((entry) => (["import", "require"] as const).map((format) => ({ ...entry, format })));
const exportsOf = (path: string) => {
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(path);
  const module = source && checker.getSymbolAtLocation(source);
  return module ? checker.getExportsOfModule(module).map((symbol) => symbol.name) : [];
};

test.each(both)(
  "$name, $format: an editor goes from every export to where the shipped source declares it",
  async (entry) => {
    const { name, format } = entry;
    const exported = exportsOf(delivered(entry, format));
    expect(exported.length).toBeGreaterThan(0);
    const lines = exported.map((symbol) => `import { ${symbol} } from "${name}";`);
    const file = join(project.folder, `${name.replaceAll(/\W/g, "-")}.${format === "import" ? "mts" : "cts"}`);
    await writeFile(file, lines.join("\n"));
    await languageServer.message({ seq: ++seq, type: "request", command: "open", arguments: { file } });

    for (const [index, symbol] of exported.entries()) {
      const position = { file, line: index + 1, offset: "import { ".length + 1 };
      const request = { seq: ++seq, type: "request", command: "definitionAndBoundSpan", arguments: position };
      const { definitions } = (await languageServer.message(request)).body;
      expect(definitions, symbol).not.toEqual([]);
      for (const { file: target, start } of definitions) {
        expect(target).toMatch(/\/node_modules\/@offers\/[\w-]+\/src\/[\w/-]+\.ts$/);
        const text = (await readFile(target, "utf8")).split("\n")[start.line - 1];
        expect(text?.slice(start.offset - 1), `${target}:${start.line}`).toMatch(new RegExp(`^${symbol}\\b`));
      }
    }
  },
);

describe.each(packageNames)("the declarations of %s", (name) => {
  test("are those that the compiler emits when it knows the types of every file", async () => {
    const dist = join(project.folder, "node_modules/@offers", name, "dist");
    emitted ??= emitDeclarations(entries);
    let compared = 0;
    for await (const file of glob("**/*.d.{ts,cts}", { cwd: dist })) {
      const [format, module] = file.endsWith(".cts") ? ["cjs", file.replace(".cts", ".ts")] : ["js", file];
      const text = (await readFile(join(dist, file), "utf8")).replace(/\/\/# sourceMappingURL=.*\n$/, "");
      const source = module.startsWith("contract/")
        ? module.replace("contract/", "contract/src/")
        : join(name, "src", module);
      const expected = emitted.get(join(root, "packages", source));
      // Without the links, and with the extensions of the sources.
      const imported = new RegExp(`(?<=(?:from |import\\()["']\\.{1,2}/[^"']+)\\.${format}(?=["'])`, "g");
      const withoutLinks = text.replaceAll(imported, ".ts").replaceAll(/\[(D-\d+)\]\([^)]*\)/g, "$1");
      const contractImport = /(?:\.{1,2}\/)+contract\/(?:generated\/)?([\w-]+)\.ts/g;
      expect(withoutLinks.replaceAll(contractImport, "@offers/contract/$1"), file).toBe(expected);
      expect(text).not.toContain("@offers/contract");
      compared += 1;
    }
    expect(compared).toBeGreaterThan(20);
  });
});

/** The text of each declaration file, by its path beside the source. */
function emitDeclarations(sources: readonly Entry[]): Map<string, string> {
  const { options } = ts.convertCompilerOptionsFromJson(
    {
      ...strict,
      noEmit: false,
      declaration: true,
      emitDeclarationOnly: true,
      stripInternal: true,
      module: "nodenext",
      types: ["node"],
      skipLibCheck: true,
      allowImportingTsExtensions: true,
    },
    root,
  );
  const emitted = new Map<string, string>();
  const files = sources.map(({ source }) => join(root, source));
  // Of what is found through node_modules the compiler emits nothing, except files that it is given.
  const contract = join(root, "packages/contract/src/generated/openapi.ts");
  ts.createProgram([...files, contract], options).emit(
    undefined,
    (file, text) => emitted.set(file, text),
    undefined,
    true,
  );
  return emitted;
}
