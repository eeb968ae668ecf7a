const longestMs = 1_000;

/**
 * Decides when a connection discards its prepared statements' plans. A plan suits the table sizes at the time it was made, and is
 * otherwise kept until the tables are analysed, even if they have grown a lot.
 */
export class PlanAge {
  #since = Number.NEGATIVE_INFINITY;

  /** Returns whether to discard the plans now, which is true at most once a second, and notes that it was. */
  isDiscardDue(): boolean {
    const now = performance.now();
    if (now - this.#since < longestMs) return false;
    this.#since = now;
    return true;
  }
}

/**
 * Settings for each session. PostgreSQL's manual recommends this page cost if most pages are in memory: with the default, a claim scans
 * the whole table of endpoints once for each lane. JIT would compile any statement whose tables look large in the statistics, even if it
 * finds no rows.
 *
 * An index scan marks the entries of deleted rows so that the next one skips them; a bitmap scan reads them each time. No index here
 * needs bitmap scans.
 */
export const planSettings = ["random_page_cost = 1.1", "jit = off", "enable_bitmapscan = off"];
