import type { Comparison } from "./comparison.ts";

/** How much a suite measures. */
export interface SuiteOptions {
  /** Whether to run only a few short rounds, to check that everything works. Do not quote their figures. */
  readonly quick: boolean;
}

/** Runs a suite of `npm run bench`. */
export type Suite = (options: SuiteOptions) => Promise<readonly Comparison[]>;
