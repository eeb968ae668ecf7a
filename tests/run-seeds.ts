import { execFile } from "node:child_process";
import { join } from "node:path";

/** A program that tries consecutive seeds: `run-NAME.ts` in the folder of its name. */
export type Explorer = "simulator" | "interleavings";

/** The explorer's output. */
export interface SeedsResult {
  /** How many seeds it tried. */
  ran: number;
  /** Hashes of everything that happened, in order, with the first seed and with the last seed. */
  fingerprints: { first: number; last: number };
  failed?: { seed: number; violations: readonly string[] };
}

/**
 * Runs an explorer with consecutive seeds, in a separate process because it replaces timers.
 *
 * @param root the root of the repository, or of a copy of it
 */
export const runSeeds = (
  explorer: Explorer,
  firstSeed: number,
  count: number,
  root = join(import.meta.dirname, ".."),
): Promise<SeedsResult> =>
  new Promise((resolve, reject) => {
    // Optimising PGlite's WebAssembly takes longer than it saves.
    const program = [
      "--liftoff-only",
      "--disable-warning=ExperimentalWarning",
      join(root, "tests", explorer, `run-${explorer}.ts`),
    ];
    execFile(
      process.execPath,
      [...program, "--seed", `${firstSeed}`, "--count", `${count}`],
      (error, stdout, stderr) => {
        // The program prints its result even if it exits with 1 because a seed failed.
        if (stdout.startsWith("{")) resolve(JSON.parse(stdout));
        else reject(error ?? new Error(stderr));
      },
    );
  });
