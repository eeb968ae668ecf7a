// Runs each snippet that shows its output or is a test. `scripts/snippets/check.ts` compiles all snippets.
import { execFile } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { matches } from "../../guides/matches.ts";

const root = join(import.meta.dirname, "../../..");
const run = promisify(execFile);
const sources = globSync(["docs/**/*.md", "packages/*/README.md", "README.md"], {
  cwd: root,
  exclude: ["**/node_modules/**", "docs/{site,reference}/**"],
}).sort();

interface RunnableSnippet {
  name: string;
  code: string;
  expected: string | undefined;
}

/** Finds each `ts` block that is followed by a `text` block, or is a test that uses `node:test`. */
function findRunnableSnippets(source: string): RunnableSnippet[] {
  const text = readFileSync(join(root, source), "utf8");
  return [...text.matchAll(/^```ts\n([\s\S]*?)^```\n(?:\n```text\n([\s\S]*?)^```$)?/gm)].flatMap(
    ({ index, 1: code = "", 2: expected }) => {
      const isTest = code.includes('from "node:test"');
      if (expected === undefined && !isTest) return [];
      return { name: `${source}:${text.slice(0, index).split("\n").length}`, code, expected };
    },
  );
}

const snippets = sources.flatMap(findRunnableSnippets);
let folder: string;
beforeAll(async () => {
  // The folder is in the repository, so that Node finds the packages by name.
  await mkdir(join(root, "scripts/snippets/.cache"), { recursive: true });
  folder = await mkdtemp(join(root, "scripts/snippets/.cache", "snippets-"));
});
afterAll(() => rm(folder, { recursive: true }));

test("most error codes have an example that runs", () =>
  expect(snippets.filter(({ name }) => name.startsWith("docs/errors.md")).length).toBeGreaterThan(50));

describe("a snippet prints the documented output", () => {
  test.concurrent.each(snippets)("$name", async ({ name, code, expected }) => {
    const file = join(folder, `${name.replace(/\W+/g, "-")}.ts`);
    await writeFile(file, code);
    const { stdout, stderr } = await run(process.execPath, ["--disable-warning=ExperimentalWarning", file], {
      cwd: root,
      timeout: 60_000,
    });
    // If the output does not match, show the difference.
    if (expected !== undefined && !matches(stdout, expected)) expect(stdout + stderr).toBe(expected);
  });
});
