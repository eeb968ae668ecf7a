import { execFile } from "node:child_process";
import { join } from "node:path";

/** A program that tries one seed after the other: `run.ts` in its folder. */
export type Explorer = "simulator" | "interleavings";

/** What it prints. */
export interface SeedsResult {
  ran: number;
  /** Of the order in which everything happened with a seed. */
  fingerprints: { first: number; last: number };
  failed?: { seed: number; violations: readonly string[] };
}

/** Tries seeds in a process of their own, whose timers and modules the explorer replaces. */
export const runSeeds = (explorer: Explorer, first: number, count: number, planted?: string): Promise<SeedsResult> =>
  new Promise((resolve, reject) => {
    const { PLANTED: _, SHORTEN: __, TRACE: ___, SCENARIO: ____, ...inherited } = process.env;
    const env = { ...inherited, SEED: String(first), SCHEDULES: String(count), ...(planted && { PLANTED: planted }) };
    execFile(
      process.execPath,
      ["--disable-warning=ExperimentalWarning", join(import.meta.dirname, explorer, "run.ts")],
      { env },
      (error, stdout, stderr) => {
        if (stdout.startsWith("{")) resolve(JSON.parse(stdout));
        else reject(error ?? new Error(stderr));
      },
    );
  });
