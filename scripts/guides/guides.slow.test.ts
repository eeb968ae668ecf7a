// Checks the commands in the documents. `npm run check -- guides` runs every document in a fresh clone.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { checks } from "../check.ts";
import { isCommand, listDocuments, readDocument } from "./read-document.ts";

const root = join(import.meta.dirname, "../..");

describe.each(listDocuments(root))("%s", (source) => {
  const blocks = readDocument(root, source);
  const commands = blocks.filter(isCommand);

  test("gives a reason for each command that `npm run check -- guides` does not run", () => {
    for (const { location, notRun } of commands)
      if (notRun !== undefined) console.log(`not run: ${location}: ${notRun}`);
  });

  test("contains only commands that work in every shell and with Node 20", () => {
    for (const { code } of commands) {
      // An interactive zsh passes # and everything after it as arguments.
      expect(code).not.toMatch(/(?:^|\s)#/m);
      // Node 20 cannot run TypeScript, but npm scripts use a Node that can.
      expect(code).not.toMatch(/\bnode\b.*\.ts\b/);
      // A clone may have any name, and npm treats a path that does not exist as a repository on GitHub.
      expect(code).not.toMatch(/\.\.\/offers\b/);
    }
  });

  test("refers only to npm scripts and checks that exist", async () => {
    const { scripts } = JSON.parse(await readFile(join(root, "package.json"), "utf8")) as { scripts: object };
    const references = (await readFile(join(root, source), "utf8")).matchAll(
      /\bnpm run (?:check -- ([a-z][\w:-]*)|([a-z][\w:-]*))/g,
    );
    for (const [text, check, script] of references)
      if (check === undefined) expect(Object.keys(scripts), text).toContain(script);
      else expect([...Object.keys(checks), "all"], text).toContain(check);
  });

  test("contains no sample that listens on the port of the platform, and uses one name for the webhook secret", () => {
    for (const { code } of blocks) {
      expect(code).not.toMatch(/\blisten\(\s*3000\b/);
      expect(code).not.toContain("OFFERS_WEBHOOK_SECRET");
    }
  });
});

test("README.md creates an offer and receives a webhook within its first 35 lines", () => {
  const programs = readDocument(root, "README.md").filter(({ language }) => language === "ts");
  const ends = programs.map(({ location, code }) => Number(location.split(":")[1]) + code.split("\n").length);
  expect(ends[0]).toBeLessThanOrEqual(25);
  expect(ends[1]).toBeLessThanOrEqual(35);
});
