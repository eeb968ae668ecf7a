import { execFile } from "node:child_process";
import { promisify } from "node:util";

/** Measures how many milliseconds a new process takes to import the modules, not counting its startup. */
export async function measureColdImportMs(specifiers: readonly string[]): Promise<number> {
  const script = `
    const startedAt = performance.now();
    for (const specifier of ${JSON.stringify(specifiers)}) await import(specifier);
    console.log(performance.now() - startedAt);`;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", script], {
    cwd: import.meta.dirname,
  });
  return Number(stdout);
}
