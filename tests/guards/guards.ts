// Prints how many schedules it takes to notice that a guard is missing: npm run check -- guards
//   capacity       only this guard
//   --seed 1       the first schedule
//   --count 2000   the maximum for each guard
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { type Explorer, runSeeds, type SeedsResult } from "../run-seeds.ts";

const root = join(import.meta.dirname, "../..");

/**
 * The guards that prevent lost, reordered and duplicated deliveries, each with the explorer that notices its removal. PGlite, which the
 * simulator uses, runs one transaction at a time, so the guards that depend on locks or snapshots need interleavings on PostgreSQL.
 */
export const guards = {
  fencing: "simulator",
  capacity: "simulator",
  "order-key": "simulator",
  "release-of-the-next": "simulator",
  "disabled-endpoint": "simulator",
  "wake-up-in-the-transaction": "simulator",
  "leases-of-the-dead": "simulator",
  "settling-lock": "interleavings",
  "late-commit": "interleavings",
  "inbox-record": "simulator",
} as const satisfies Record<string, Explorer>;

export type Guard = keyof typeof guards;

/**
 * Runs the guard's explorer on a copy of the sources from which `NAME.patch` has removed the guard.
 *
 * @throws if the patch does not apply, because the code that it patches has changed
 */
export async function exploreWithout(guard: Guard, firstSeed: number, maxCount: number): Promise<SeedsResult> {
  const copy = mkdtempSync(join(tmpdir(), "offers-guards-"));
  try {
    copySources(copy);
    execFileSync("git", ["apply", join(import.meta.dirname, `${guard}.patch`)], { cwd: copy });
    return await runSeeds(guards[guard], firstSeed, maxCount, copy);
  } finally {
    rmSync(copy, { recursive: true });
  }
}

/** Copies the files that the explorers need, except those that git ignores, and links the installed dependencies. */
function copySources(copy: string): void {
  const fileList = execFileSync(
    "git",
    ["ls-files", "-co", "--exclude-standard", "packages", "examples/platform", "scripts", "tests", "package.json"],
    {
      cwd: root,
      encoding: "utf8",
    },
  );
  for (const file of fileList.trim().split("\n")) {
    // git also lists a file whose deletion is not committed.
    if (!existsSync(join(root, file))) continue;
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    cpSync(join(root, file), join(copy, file));
  }
  for (const folder of [".", "packages/contract", "packages/webhook-kit", "examples/platform"])
    if (existsSync(join(root, folder, "node_modules")))
      symlinkSync(join(root, folder, "node_modules"), join(copy, folder, "node_modules"));
}

if (import.meta.main) {
  const { values: flags, positionals: requestedNames } = parseArgs({
    allowPositionals: true,
    options: { seed: { type: "string", default: "1" }, count: { type: "string", default: "2000" } },
  });
  console.log("| Removed guard | Found by | Schedules |\n|---|---|---|");
  for (const guard of Object.keys(guards) as Guard[]) {
    if (requestedNames.length > 0 && !requestedNames.includes(guard)) continue;
    const { ran, failed } = await exploreWithout(guard, Number(flags.seed), Number(flags.count));
    if (failed === undefined) process.exitCode = 1;
    const result = failed === undefined ? `not in ${ran}` : `${ran}: ${failed.violations[0]}`;
    console.log(`| ${guard} | ${guards[guard]} | ${result} |`);
  }
}
