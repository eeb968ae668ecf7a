import type { Results } from "./run-on.ts";

/**
 * Prints checks by runtime in Markdown, and beneath it what failed.
 *
 * @returns how many checks failed
 */
export function printTable(title: string, rows: ReadonlyMap<string, Results>): number {
  const checks = [...new Set([...rows.values()].flatMap((results) => Object.keys(results)))];
  const failures: string[] = [];
  const cell = (runtime: string, check: string, result: string | undefined) => {
    if (!result?.startsWith("FAILED")) return result ?? "-";
    failures.push(`${runtime}, ${check}: ${result}`);
    return "FAILED";
  };
  const line = (cells: readonly string[]) => console.log(`| ${cells.join(" | ")} |`);
  console.log(`\n${title}\n`);
  line(["", ...checks]);
  line(["---", ...checks.map(() => "---")]);
  for (const [runtime, results] of rows) line([runtime, ...checks.map((name) => cell(runtime, name, results[name]))]);
  if (failures.length) console.log(`\n${failures.join("\n")}`);
  return failures.length;
}
