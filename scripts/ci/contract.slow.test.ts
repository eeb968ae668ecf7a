import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { renderContract, renderDecisions } from "../docs/pages/render-contract.ts";
import { readProofs, readStatements } from "./contract.ts";

const folders: string[] = [];
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true }))));

const document = `# Offers and Webhooks Interface Specification

One sentence. Another one.

## Offer (returned by \`GET /offer\`)

| Field | Type |
|---|---|
| id | string |
| title (short) | not shown |

Recipient object:

| Field | Type |
|---|---|
| id | integer |

## Errors

1. The first. More of it:
   - a dash;
2. The second.
`;

/** Converts <tag> to [tag]. Real tags in this file would count, because the check reads this file too. */
const withTags = (text: string) => text.replace(/<(.*?)>/g, "[$1]");

/** Creates a project with the contract above, the decisions D-01 to D-10, one test for each title, and the other files. */
async function createProject(
  titles: readonly string[],
  otherFiles: Readonly<Record<string, string>> = {},
): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), "offers-contract-"));
  folders.push(root);
  const ids = Array.from({ length: 10 }, (_, index) => `D-${String(index + 1).padStart(2, "0")}`);
  const decisions = ids.map((id) => `${id}: { question: Q, evidence: E, choice: C, why: W, change: H`);
  const files = {
    "spec/interface.md": document,
    "spec/decisions.yaml": `${decisions.join(" }\n")}, interface: [Offer title] }\n`,
    "packages/kit/src/kit.ts": `// ${ids}\n`,
    "packages/kit/src/kit.test.ts": titles.map((title) => `test("${title}", () => {});\n`).join(""),
    ...otherFiles,
  };
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), withTags(text));
  }
  return root;
}

const runCheck = (root: string) =>
  new Promise<string>((resolve) =>
    execFile(process.execPath, [join(import.meta.dirname, "../check-contract.ts"), root], (_, stdout, stderr) =>
      resolve(stdout + stderr),
    ),
  );

const statementTitles = [
  "a <interface: Introduction 1, 1b> <interface: Offer id, title> <interface: Recipient 1, id>",
  "b <interface: Errors 1, 1b, 1c, 2>",
];

test("the tag of a statement consists of the section name and the row name or a number", async () => {
  const statements = readStatements(await createProject([]));
  expect(statements.map(({ tag, text }) => `${tag}: ${text}`)).toEqual([
    "interface: Introduction 1: One sentence.",
    "interface: Introduction 1b: Another one.",
    "interface: Offer id: id | string",
    "interface: Offer title: title (short) | not shown",
    "interface: Recipient 1: Recipient object:",
    "interface: Recipient id: id | integer",
    "interface: Errors 1: The first.",
    "interface: Errors 1b: More of it:",
    "interface: Errors 1c: a dash;",
    "interface: Errors 2: The second.",
  ]);
});

test("the check finds tags in titles of tests and `describe` blocks, and in lists of titles", async () => {
  const root = await createProject([...statementTitles, "one <D-01>"], {
    "examples/app/test/app.test.ts": `
      for (const value of list) test(\`\${value} <D-02>\`, () => {});
      test.each(list)("of a list: %s <D-03>", { timeout: 1 }, () => {});
      test.each([["named by its case <D-04>"]])("%s", () => {});
      describe.each(list)("$name <D-05>", () => { it("isn't tagged", () => {}); });
      describe("its tests are elsewhere <D-06>", () => suite());
      // in a comment <D-07>`,
  });
  const missing = ["D-07", "D-08", "D-09", "D-10"].map((id) => `no test has the tag [${id}]\n`);
  expect(await runCheck(root)).toBe(missing.join(""));
});

test("the check reports an unknown tag with its test, and a statement without a test", async () => {
  const errors = await runCheck(await createProject(["a <D-2>", "b <interface: Offer id, name>"]));
  expect(errors).toContain(withTags("unknown tag <D-2>: packages/kit/src/kit.test.ts > a\n"));
  expect(errors).toContain(withTags("unknown tag <interface: Offer name>: packages/kit/src/kit.test.ts > b\n"));
  expect(errors).toContain(withTags("no test has the tag <interface: Errors 1c>: a dash;\n"));
});

test("the pages mark statements that only slow tests prove", async () => {
  const slow = 'test("s <D-01> <D-02> <interface: Errors 1, 2>", () => {});';
  const root = await createProject(["a <D-01> <interface: Errors 1>"], { "scripts/some.slow.test.ts": slow });
  const mark = "- **Proven only by slow tests**";
  const decisions = renderDecisions(root, readProofs(root)).split("\n## ");
  expect(decisions.slice(1, 3).map((entry) => entry.includes(mark))).toEqual([false, true]);
  const statements = renderContract(root, readProofs(root)).split("`[interface: Errors ");
  expect(statements.map((entry) => entry.includes(mark))).toEqual([false, false, false, false, true]);
});
