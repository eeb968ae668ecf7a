/** The report of an external suite. */
export interface SuiteReport {
  /** The suite's name and version. */
  suite: string;
  /** How many requests or messages were tried, in words. */
  tried: string;
  /** One line for each difference that neither a decision nor an RFC explains; empty if the suite passed. */
  differences: readonly string[];
}
