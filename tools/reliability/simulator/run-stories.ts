import { execFile } from "node:child_process";
import { join } from "node:path";
import type { PlantedBugName } from "./planted-bugs.ts";

/** What `run.ts` prints. */
export interface StoriesResult {
  ran: number;
  /** Of the order in which everything happened in the last story. */
  fingerprint: number;
  failed?: { seed: number; violations: readonly string[] };
}

/** Runs stories in a process of their own, whose timers and modules the simulator replaces. */
export const runStories = (first: number, count: number, planted?: PlantedBugName): Promise<StoriesResult> =>
  new Promise((resolve, reject) => {
    const { PLANTED: _, SHORTEN: __, TRACE: ___, ...inherited } = process.env;
    const env = { ...inherited, SEED: String(first), SCHEDULES: String(count), ...(planted && { PLANTED: planted }) };
    execFile(
      process.execPath,
      ["--disable-warning=ExperimentalWarning", join(import.meta.dirname, "run.ts")],
      { env },
      (error, stdout, stderr) => {
        if (stdout.startsWith("{")) resolve(JSON.parse(stdout));
        else reject(error ?? new Error(stderr));
      },
    );
  });
