import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { readDocument } from "./read-document.ts";
import { runDocument } from "./run-document.ts";

async function createGuide(lines: readonly string[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "offers-document-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, "guide.md"), lines.join("\n"));
  return folder;
}

async function runGuide(...lines: string[]): Promise<void> {
  const root = await createGuide(lines);
  await runDocument(readDocument(root, "guide.md"), { root, env: process.env, limitMs: 20_000 });
}

const shBlock = (...code: string[]) => ["```sh", ...code, "```", ""];
const outputBlock = (...output: string[]) => ["```text", ...output, "```", ""];

test("variables, functions and the current folder persist from one block to the next", () =>
  runGuide(
    ...shBlock("NAME=Amal; greet() { echo hello $NAME; }; mkdir inner; cd inner"),
    ...["Save this as `said.mjs`:", "", "```ts", "console.log('from a file');", "```", ""],
    ...shBlock("greet; basename $PWD; node said.mjs"),
    ...outputBlock("hello Amal", "inner", "from a file"),
  ));

test("… matches anything within a line, and a line that is only … matches any number of lines", () =>
  runGuide(...shBlock("echo id: 17, done; echo a; echo b; echo last"), ...outputBlock("id: …, done", "…", "last")));

test("a command that keeps running after its output still runs in the next block, and ends with the document", async () => {
  const root = await createGuide([
    "<!-- keeps running -->",
    ...shBlock("echo $$ > pid; echo ready; exec sleep 600"),
    ...outputBlock("ready"),
    ...shBlock('kill -0 "$(cat pid)" && echo runs'),
    ...outputBlock("runs"),
  ]);
  await runDocument(readDocument(root, "guide.md"), { root, env: process.env, limitMs: 20_000 });
});

test("the same free ports replace the documented ports in programs, commands and output", () =>
  runGuide(
    ...shBlock("npm() { echo $PORT $2; }", "npm run platform; npm run integrator; echo 3001"),
    ...outputBlock("3000 platform", "3001 integrator", "3001"),
  ));

test.each<[string, string[], string]>([
  ["a command fails", shBlock("echo said; false; true"), "guide.md:1: a command failed:\nsaid\n"],
  ["a command is unknown", shBlock("no-such-command-here"), "guide.md:1: a command failed:"],
  ["the last command of a block fails", [...shBlock("true"), ...shBlock("exit 3")], "guide.md:5: a command failed:"],
  [
    "something else is printed",
    [...shBlock("echo 409"), ...outputBlock("204")],
    "guide.md:1: printed\n409\n\ninstead of\n204\n",
  ],
  [
    "the document shows more than is printed",
    [...shBlock("echo 204"), ...outputBlock("204", "{…}")],
    "guide.md:1: printed",
  ],
  ["the document shows only a part of a line", [...shBlock("echo 2040"), ...outputBlock("204")], "guide.md:1: printed"],
  [
    "a command that should keep running ends",
    ["<!-- keeps running -->", ...shBlock("echo no"), ...outputBlock("ready")],
    "guide.md:2: ended:\nno\n",
  ],
])("a document fails when %s", async (_, lines, message) => {
  await expect(runGuide(...lines)).rejects.toThrow(message);
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
  ["output without a command", outputBlock("204"), "guide.md:1: there is no command block before this output"],
  ["an empty reason", ["<!-- not run: -->", ...shBlock("npm test")], "guide.md:2: state why the block is not run"],
  [
    "no output that shows when it is ready",
    ["<!-- keeps running -->", ...shBlock("npm start")],
    "guide.md:2: below the command, show the output that it prints",
  ],
  ["an open block", ["```sh", "npm test"], "guide.md:1: the block is not closed"],
])("a block with %s is rejected", async (_, lines, message) => {
  const root = await createGuide(lines);
  expect(() => readDocument(root, "guide.md")).toThrow(message);
});

test("a block that is not run has a reason", async () => {
  const root = await createGuide(["<!-- not run: it takes", "an hour -->", "", ...shBlock("sleep 3600")]);
  expect(readDocument(root, "guide.md")).toMatchObject([{ notRun: "it takes\nan hour", code: "sleep 3600\n" }]);
});
