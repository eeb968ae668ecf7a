// The types as npm delivers them. The tests of the packages compile against the sources, whose types may say more.
// How editors see them: declarations.test.ts.
import { glob, readFile } from "node:fs/promises";
import { join } from "node:path";
import ts from "typescript";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { copyProgram, strict } from "../../compatibility/types-matrix/programs.ts";
import { type UnpackedProject, unpackedProject } from "./fresh-project.ts";
import { packageNames } from "./packages.ts";

const root = join(import.meta.dirname, "../../..");
let project: UnpackedProject;
let program: ts.Program;

const programs = ["mts", "cts"].map((extension) => ({ extension, file: `failures.${extension}` }));

beforeAll(async () => {
  project = await unpackedProject();
  for (const { extension } of programs) await copyProgram("failures", extension, project.folder);
  const { options } = ts.convertCompilerOptionsFromJson(
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
  );
  // In one, for the compiler takes most of its time for the libraries.
  program = ts.createProgram(
    programs.map(({ file }) => join(project.folder, file)),
    options,
  );
}, 180_000);
afterAll(() => project.remove());

test.each(programs)("$file: codes and names of errors are words that narrow", ({ file }) => {
  const source = program.getSourceFile(join(project.folder, file));
  const faults = ts.getPreEmitDiagnostics(program, source).map(({ start = 0, messageText }) => {
    const line = source?.text.slice(0, start).split("\n").length;
    return `line ${line}: ${source?.text.split("\n")[Number(line) - 1]}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`;
  });
  expect(source).toBeDefined();
  expect(faults).toEqual([]);
});

describe.each(packageNames)("the declarations of %s", (name) => {
  test("link every decision that they cite to a place that exists", async () => {
    const page = await readFile(join(root, "docs/decisions.md"), "utf8");
    const dist = join(project.folder, "node_modules/@offers", name, "dist");
    let links = 0;
    for await (const file of glob("**/*.d.{ts,cts}", { cwd: dist })) {
      const text = await readFile(join(dist, file), "utf8");
      const linked = /\[(D-\d+)\]\(https:\/\/github\.com\/offers\/offers\/blob\/main\/docs\/decisions\.md#([\w-]+)\)/g;
      for (const [, id = "", anchor] of text.matchAll(linked)) {
        links += 1;
        expect(page, `${file}: ${id}`).toMatch(new RegExp(`<a id="${anchor}"></a>\\n+## ${id}:`));
      }
      expect(text.replaceAll(linked, "").match(/D-\d+/g), file).toBeNull();
    }
    expect(links).toBeGreaterThan(20);
  });
});
