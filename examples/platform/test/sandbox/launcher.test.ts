import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const run = promisify(execFile);
const launcher = join(import.meta.dirname, "../../bin/offers-sandbox.cjs");

/** Runs the launcher in a Node process that reports this version. @returns the output of a failed run, or an empty string */
const runWithVersion = (version: string) => {
  const script = `Object.defineProperty(process.versions, "node", { value: ${JSON.stringify(version)} }); require(${JSON.stringify(launcher)})`;
  return run(process.execPath, ["--eval", script]).then(
    () => "",
    ({ stdout, stderr }: { stdout: string; stderr: string }) => stdout + stderr,
  );
};

test.each(["18.20.8", "20.19.0", "22.18.0", "21.7.3", "8.17.0"])(
  "on Node %s, the sandbox reports in one line which version it needs",
  async (version) =>
    expect(await runWithVersion(version)).toBe(`@offers/sandbox needs Node 22.19 or newer; this is Node ${version}.\n`),
);
