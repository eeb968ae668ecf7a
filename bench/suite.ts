import type { Comparison } from "./comparison.ts";

/** How much is measured. */
export interface SuiteOptions {
  /** Few, short rounds, to see that everything runs. Do not quote the figures. */
  readonly quick: boolean;
}

/** A suite of `npm run bench`. */
export type Suite = (options: SuiteOptions) => Promise<readonly Comparison[]>;
