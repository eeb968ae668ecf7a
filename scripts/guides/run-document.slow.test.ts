import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { readDocument } from "./read-document.ts";
import { runDocument } from "./run-document.ts";

async function folderWith(lines: readonly string[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "offers-document-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, "guide.md"), lines.join("\n"));
  return folder;
}

async function follow(...lines: string[]): Promise<void> {
  const root = await folderWith(lines);
  await runDocument(readDocument(root, "guide.md"), { root, env: process.env, limitMs: 20_000 });
}

const sh = (...code: string[]) => ["```sh", ...code, "```", ""];
const prints = (...output: string[]) => ["```text", ...output, "```", ""];

test("variables, functions and the folder last from one block to the next", () =>
  follow(
    ...sh("NAME=Amal; greet() { echo hello $NAME; }; mkdir inner; cd inner"),
    ...["Save this as `said.mjs`:", "", "```ts", "console.log('from a file');", "```", ""],
    ...sh("greet; basename $PWD; node said.mjs"),
    ...prints("hello Amal", "inner", "from a file"),
  ));

test("… matches anything, within a line or as a whole line", () =>
  follow(...sh("echo id: 17, done; echo a; echo b; echo last"), ...prints("id: …, done", "…", "last")));

test("a command that keeps running continues once it has printed its output, and ends with the document", async () => {
  const root = await folderWith([
    "<!-- keeps running -->",
    ...sh("echo $$ > pid; echo ready; exec sleep 600"),
    ...prints("ready"),
    ...sh('kill -0 "$(cat pid)" && echo runs'),
    ...prints("runs"),
  ]);
  await runDocument(readDocument(root, "guide.md"), { root, env: process.env, limitMs: 20_000 });
});

test("the documented ports are replaced with the same free ones in programs, commands and output", () =>
  follow(
    ...sh("npm() { echo $PORT $2; }", "npm run platform; npm run integrator; echo 3001"),
    ...prints("3000 platform", "3001 integrator", "3001"),
  ));

test.each<[string, string[], string]>([
  ["a command fails", sh("echo said; false; true"), "guide.md:1: a command failed:\nsaid\n"],
  ["a command is unknown", sh("no-such-command-here"), "guide.md:1: a command failed:"],
  ["the last command of a block fails", [...sh("true"), ...sh("exit 3")], "guide.md:5: a command failed:"],
  ["something else is printed", [...sh("echo 409"), ...prints("204")], "guide.md:1: printed\n409\n\nand not\n204\n"],
  ["more is promised than is printed", [...sh("echo 204"), ...prints("204", "{…}")], "guide.md:1: printed"],
  ["a line is printed in part", [...sh("echo 2040"), ...prints("204")], "guide.md:1: printed"],
  [
    "what keeps running ends",
    ["<!-- keeps running -->", ...sh("echo no"), ...prints("ready")],
    "guide.md:2: ended:\nno\n",
  ],
])("a document fails when %s", async (_, lines, message) => {
  await expect(follow(...lines)).rejects.toThrow(message);
});

test.each<[string, string[], string]>([
  [
    "commands without a language",
    ["```", "npm start", "```"],
    "guide.md:1: a block with commands needs the language sh",
  ],
  [
    "a language that is not run",
    ["```console", "$ npm start", "```"],
    "guide.md:1: console is neither run nor compared",
  ],
  ["output of no command", prints("204"), "guide.md:1: no command block stands before this output"],
  ["an empty reason", ["<!-- not run: -->", ...sh("npm test")], "guide.md:2: write why the block is not run"],
  [
    "no sign of being ready",
    ["<!-- keeps running -->", ...sh("npm start")],
    "guide.md:2: show below what the command prints",
  ],
  ["an open block", ["```sh", "npm test"], "guide.md:1: the block is not closed"],
])("a block with %s is rejected", async (_, lines, message) => {
  const root = await folderWith(lines);
  expect(() => readDocument(root, "guide.md")).toThrow(message);
});

test("a block that is not run has a reason", async () => {
  const root = await folderWith(["<!-- not run: it takes", "an hour -->", "", ...sh("sleep 3600")]);
  expect(readDocument(root, "guide.md")).toMatchObject([{ notRun: "it takes\nan hour", code: "sleep 3600\n" }]);
});
