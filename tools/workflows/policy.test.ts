// The rules for every workflow of this repository. Each rule must notice mistakes planted in the real files.
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { exemptScripts } from "./exempt-scripts.ts";
import { npmScriptsOf } from "./npm-scripts.ts";
import { plantedMistakes } from "./planted-mistakes.ts";
import { readWorkflows } from "./read-workflows.ts";
import { rules } from "./rules.ts";
import { parseWorkflow } from "./workflow.ts";

const root = resolve(import.meta.dirname, "../..");
const texts = readWorkflows();
const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { scripts: Record<string, string> };

describe.each(Object.entries(rules))("%s", (name, rule) => {
  test.each([...texts])("in %s", (_, text) => {
    expect(rule(parseWorkflow(text))).toEqual([]);
  });

  const mistakes = plantedMistakes.filter((planted) => planted.rule === name);
  test.each(mistakes)("not with $mistake in $file", ({ file, find, put, found }) => {
    const text = texts.get(file) ?? "";
    const mistaken = text.replace(find, () => put);
    expect(mistaken).not.toBe(text);
    expect(rule(parseWorkflow(mistaken)).join("\n")).toContain(found);
  });

  test("has a mistake planted", () => {
    expect(mistakes).not.toEqual([]);
  });
});

describe("npm scripts", () => {
  test("each is run for every pull request or every night, or need not be", () => {
    expect(notRun(texts)).toEqual([]);
  });

  test.each([
    ["another", "- mutation:client\n", "", "mutation:client"],
    ["another", "run: npm run torture", "run: echo npm run tortures", "torture"],
    ["a part of them", "- run: npm run bench", "- if: false\n        run: npm run bench", "bench"],
    ["none", `SCRIPT: \${{ matrix.script }}`, "SCRIPT: soak", "slow"],
  ])("not when the night runs %s: %s becomes %s", (_, find, put, missed) => {
    const mistaken = (texts.get("nightly.yml") ?? "").replace(find, () => put);
    expect(notRun(new Map([...texts, ["nightly.yml", mistaken]]))).toContain(missed);
  });

  test("each that a workflow runs exists", () => {
    const asked = [...texts.values()].flatMap((text) => {
      const { always, sometimes } = npmScriptsOf(parseWorkflow(text));
      return [...always, ...sometimes];
    });
    expect(asked.filter((name) => !(name in scripts))).toEqual([]);
  });

  test("those that need not be run exist", () => {
    expect(Object.keys(exemptScripts).filter((name) => !(name in scripts))).toEqual([]);
  });
});

test("the packages are built for Windows and macOS by the pnpm of the bootstrap", () => {
  const [pinned = ""] = /pnpm@[\d.]+/.exec(readFileSync(join(root, "tools/bootstrap.mjs"), "utf8")) ?? [];
  expect(texts.get("nightly.yml")).toContain(`npm install --global ${pinned}\n`);
});

/** The scripts that neither a pull request nor the night runs without a condition. */
function notRun(files: ReadonlyMap<string, string>): string[] {
  const run = new Set(
    [...files.values()].flatMap((text) => {
      const workflow = parseWorkflow(text);
      const isRegular = workflow.triggers.some((trigger) => trigger === "pull_request" || trigger === "schedule");
      return isRegular ? npmScriptsOf(workflow).always : [];
    }),
  );
  return Object.keys(scripts).filter((name) => !run.has(name) && !(name in exemptScripts));
}
