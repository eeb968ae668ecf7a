// Applies the rules to every workflow in this repository. Each rule must catch mistakes that are injected into the real files.
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { checks } from "../../check.ts";
import { rules } from "./rules.ts";
import { findNpmScripts, parseWorkflow, readActions, readWorkflows } from "./workflow.ts";

const root = resolve(import.meta.dirname, "../../..");
const texts = readWorkflows();
const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { scripts: Record<string, string> };
/** Every npm script except `check`, such as `bench`, and every check, such as `check slow`. */
const runnableNames = [
  ...Object.keys(scripts).filter((name) => name !== "check"),
  ...Object.keys(checks).map((name) => `check ${name}`),
];

/** A mistake to inject into a real file, and part of the error that the rule must report. */
type InjectedMistake = readonly [file: string, find: string | RegExp, replacement: string, expectedError: string];

const checkout = /actions\/checkout@\w+ # v[\d.]+/;
const downloadStep = /- uses: actions\/download-artifact(?=@\w+ # v[\d.]+\n +with:\n +artifact-ids: \$\{\{ needs)/;
const publishLine = 'npm publish "$tarball"';

const injectedMistakes: Readonly<Record<string, Readonly<Record<string, InjectedMistake>>>> = {
  "every action is pinned to a commit, with its version in a comment": {
    "a tag": ["ci.yml", checkout, "actions/checkout@v7 # v7.0.1", "not pinned"],
    "no version": ["ci.yml", / # v7\.0\.1/, "", "without its version"],
    "an image pinned to its tag": ["ci.yml", checkout, "docker://node:24 # v24.0.0", "not pinned"],
    "a folder that the policy does not read": ["ci.yml", checkout, "./others/setup", "does not read"],
    "an alias of a tag": [
      "ci.yml",
      /name: CI\n[\s\S]*?actions\/checkout@\w+ # v[\d.]+/,
      "name: &checkout actions/checkout@v7\non: push\njobs:\n  test:\n    steps:\n      - uses: *checkout",
      "not pinned",
    ],
  },
  "a workflow has no permissions, or read permissions only": {
    "the repository's default": ["ci.yml", "permissions: {}\n", "", "top-level"],
    "all permissions": ["ci.yml", "permissions: {}", "permissions: write-all", "top-level"],
    "one write permission": ["nightly.yml", "permissions: {}", "permissions: { issues: write }", "top-level"],
  },
  "a job lists each of its permissions": {
    "all permissions": ["ci.yml", "permissions:\n      contents: read", "permissions: write-all", "write-all"],
    "every secret": ["release.yml", "    permissions:\n      contents: read", "    secrets: inherit", "inherits"],
  },
  "a job that may publish does not build": {
    "tests that may publish": [
      "release.yml",
      "permissions:\n      contents: read",
      "permissions:\n      id-token: write",
      "calls ./.github/workflows/ci.yml",
    ],
    "a checkout in the same job": [
      "release.yml",
      downloadStep,
      "- uses: actions/checkout@1\n      - uses: actions/download-artifact",
      "uses actions/checkout",
    ],
    "a second packing": ["release.yml", publishLine, `npm run tarballs && ${publishLine}`, "runs npm"],
    "a script that came with the tarballs": ["release.yml", publishLine, "./publish.sh", "publish.sh"],
    "a published folder": ["release.yml", publishLine, "npm publish", "runs npm publish"],
  },
  "a job that may publish waits for a reviewer": {
    "no environment": ["release.yml", "    environment: npm # a reviewer approves\n", "", "publish"],
    "the permissions in another job": [
      "release.yml",
      "contents: write # tags and releases",
      "contents: write\n      id-token: write",
      "tag",
    ],
  },
  "the published bytes are those that were tested": {
    "no hash check": ["release.yml", 'sha256sum --check --strict <<< "$SHA256SUMS"', "true", "hashes"],
    "a hash check that comes too late": [
      "release.yml",
      'sha256sum --check --strict <<< "$SHA256SUMS"',
      `${publishLine}; sha256sum --check --strict <<< "$SHA256SUMS"`,
      "hashes",
    ],
  },
  "no npm token is stored": {
    "a token in a variable": ["release.yml", 'PROVENANCE: "true"', "NODE_AUTH_TOKEN: abc", "NODE_AUTH_TOKEN"],
    "a token in setup-node's file": [
      "release.yml",
      "package-manager-cache: false",
      "registry-url: https://registry.npmjs.org",
      "registry-url",
    ],
  },
  "a pull request's run has no write permissions and no secrets": {
    "a write permission": ["ci.yml", "contents: read", "contents: read\n      pull-requests: write", "may write"],
    "a secret": [
      "ci.yml",
      "run: npm test",
      `run: npm test\n        env: { KEY: "\${{ secrets.KEY }}" }`,
      "reads secrets",
    ],
    "a release for a pull request": ["release.yml", "  push:\n", "  pull_request:\n  push:\n", "may write"],
  },
  "only this repository's main branch has write permissions": {
    "a run in a fork": ["release.yml", "github.repository_owner == 'offers' && ", "", "publish: may write"],
    "a run on any branch": ["release.yml", " && github.ref == 'refs/heads/main'", "", "version: may write"],
    "a job that waits for nothing": ["release.yml", "needs: [select, publish]\n", "needs: test\n", "tag: may write"],
  },
  "outsiders cannot start a run that has permissions": {
    "a fork's pull request": ["ci.yml", "  pull_request:", "  pull_request_target:", "pull_request_target"],
    "the end of a fork's run": ["release.yml", "on:\n", "on:\n  workflow_run:\n    workflows: [CI]\n", "workflow_run"],
  },
  "no expression becomes part of a script": {
    "a title": ["ci.yml", "run: npm test", `run: echo \${{ github.event.pull_request.title }}`, "title"],
    "the script of an action": [
      "release.yml",
      "script: npm run changeset -- version",
      `script: npm run changeset -- version \${{ inputs.what }}`,
      "inputs",
    ],
  },
  "a checkout does not keep credentials": {
    "the default settings": ["nightly.yml", "        with:\n          persist-credentials: false\n", "", "checkout"],
  },
  "every job has a time limit": {
    "GitHub's limit of six hours": ["ci.yml", "    timeout-minutes: 30\n", "", "test"],
  },
  "a failing step fails its workflow": {
    "a step that may fail": [
      "nightly.yml",
      "- run: npm run check -- full",
      "- continue-on-error: true\n        run: npm run check -- full",
      "cases",
    ],
    "a job that may fail": [
      "ci.yml",
      "    timeout-minutes: 30\n",
      "    timeout-minutes: 30\n    continue-on-error: true\n",
      "test",
    ],
  },
  "a workflow's runs do not pile up": {
    "parallel runs": ["nightly.yml", "concurrency:\n  group: nightly\n", "", "concurrency"],
  },
};

/** The npm scripts and checks that no workflow has to run separately, each with the reason. */
const exemptions: Readonly<Record<string, string>> = {
  build: "every command that needs it starts with it",
  generate: "writes what npm test compares",
  docs: "check docs builds the same site",
  format: "writes what npm test checks",
  lint: "a step of npm test",
  typecheck: "a step of npm test",
  "test:watch": "keeps running",
  platform: "stays up; npm start runs it",
  integrator: "stays up; npm start runs it",
  hirer: "stays up; npm start runs it",
  changeset: "prompts a user; release.yml runs it while there are changesets",
  tarballs: "check guides runs it",
  "check mutants": "compares the tests with those of 6779069c; run by hand",
  "check corpus": "needs the reader's receiver; npm test sends the test vectors to ours",
};

describe.each(Object.entries(rules))("%s", (name, rule) => {
  test.each([...texts])("passes for %s", (_, text) => {
    expect(rule(parseWorkflow(text))).toEqual([]);
  });

  const mistakes = Object.entries(injectedMistakes[name] ?? {});
  test.each(mistakes)("fails with %s", (_, [file, find, replacement, expectedError]) => {
    const text = texts.get(file) ?? "";
    const mutated = text.replace(find, () => replacement);
    expect(mutated).not.toBe(text);
    expect(rule(parseWorkflow(mutated)).join("\n")).toContain(expectedError);
  });

  test("has at least one injected mistake", () => {
    expect(mistakes).not.toEqual([]);
  });
});

describe("npm scripts", () => {
  test("package.json has at most 16 npm scripts", () => {
    expect(Object.keys(scripts).length).toBeLessThanOrEqual(16);
  });

  test("each script runs for every pull request or every night, unless it is exempt", () => {
    expect(findScriptsNotRun(texts)).toEqual([]);
  });

  test.each([
    ["its line is removed", "- mutation bench-types\n", "", "check mutation"],
    ["its step is disabled", "- run: npm run bench --", "- if: false\n        run: npm run bench --", "bench"],
    ["the variable has a different value", `CHECKS: \${{ matrix.checks }}`, "CHECKS: soak", "check slow"],
  ])("a script that the nightly workflow no longer runs is reported: %s", (_, find, replacement, missed) => {
    const mutated = (texts.get("nightly.yml") ?? "").replace(find, () => replacement);
    expect(findScriptsNotRun(new Map([...texts, ["nightly.yml", mutated]]))).toContain(missed);
  });

  test("every script that a workflow runs exists", () => {
    const usedScripts = [...texts.values()].flatMap((text) => {
      const { always, sometimes } = findNpmScripts(parseWorkflow(text));
      return [...always, ...sometimes];
    });
    expect(usedScripts.filter((name) => !runnableNames.includes(name))).toEqual([]);
  });

  test("every exempt script exists", () => {
    expect(Object.keys(exemptions).filter((name) => !runnableNames.includes(name))).toEqual([]);
  });
});

test.each([...readActions()])("the action %s pins the actions that it uses", (_, text) => {
  const { "every action is pinned to a commit, with its version in a comment": pinningRule } = rules;
  expect(pinningRule?.(parseWorkflow(`on: []\njobs: {}\n${text}`))).toEqual([]);
});

/** Finds the scripts and checks that no workflow runs unconditionally on a pull request or on a schedule, and that are not exempt. */
function findScriptsNotRun(files: ReadonlyMap<string, string>): string[] {
  const regularScripts = new Set(
    [...files.values()].flatMap((text) => {
      const workflow = parseWorkflow(text);
      const isRegular = workflow.triggers.some((trigger) => trigger === "pull_request" || trigger === "schedule");
      return isRegular ? findNpmScripts(workflow).always : [];
    }),
  );
  return runnableNames.filter((name) => !regularScripts.has(name) && !(name in exemptions));
}
