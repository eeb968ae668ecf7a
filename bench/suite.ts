import type { Comparison } from "./comparison.ts";

/** How much is measured. */
export interface SuiteOptions {
  /** Few, short rounds: to see that everything runs, not to quote. */
  readonly quick: boolean;
}

/** One of the things that `npm run bench` can be asked for. */
export type Suite = (options: SuiteOptions) => Promise<readonly Comparison[]>;
