/** What an external suite tried, and what it found. */
export interface SuiteReport {
  /** The suite with its version. */
  suite: string;
  /** What was tried, with counts. */
  tried: string;
  /** One line for each difference that neither a decision nor an RFC explains; empty if the suite passed. */
  found: readonly string[];
}
