import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const run = promisify(execFile);
const launcher = join(import.meta.dirname, "../../bin/offers-sandbox.cjs");

/** Runs the launcher with this Node, which pretends to have another version. */
const runAs = (version: string) => {
  const script = `Object.defineProperty(process.versions, "node", { value: ${JSON.stringify(version)} }); require(${JSON.stringify(launcher)})`;
  return run(process.execPath, ["--eval", script]).then(
    () => "",
    ({ stdout, stderr }: { stdout: string; stderr: string }) => stdout + stderr,
  );
};

test.each(["18.20.8", "20.19.0", "22.18.0", "21.7.3", "8.17.0"])(
  "says in one line on Node %s which version it needs",
  async (version) =>
    expect(await runAs(version)).toBe(`@offers/sandbox needs Node 22.19 or newer; this is Node ${version}.\n`),
);
