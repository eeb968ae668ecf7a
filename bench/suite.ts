import type { Comparison } from "./comparison.ts";

/** How much a suite measures. */
export interface SuiteOptions {
  /** Few, short rounds, to see that everything runs. Do not quote the figures. */
  readonly quick: boolean;
}

/** Runs a suite of `npm run bench`. */
export type Suite = (options: SuiteOptions) => Promise<readonly Comparison[]>;
