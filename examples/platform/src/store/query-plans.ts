const maxPlanAgeMs = 1_000;

/**
 * Decides when a connection discards the plans of its prepared statements. A plan suits the table sizes at the time it was created,
 * but PostgreSQL would use it until the tables are analysed, even if they have grown a lot.
 */
export class PlanAge {
  #lastDiscardMs = Number.NEGATIVE_INFINITY;

  /** Returns whether to discard the plans now: true at most once a second. Expects the caller to discard them. */
  isDiscardDue(): boolean {
    const now = performance.now();
    if (now - this.#lastDiscardMs < maxPlanAgeMs) return false;
    this.#lastDiscardMs = now;
    return true;
  }
}

/**
 * Settings for each session. PostgreSQL's manual recommends this page cost if most pages are in memory. With the default, a claim
 * scans the whole endpoints table for each lane. JIT would compile any statement whose tables are large according to the statistics,
 * even if it finds no rows.
 *
 * Bitmap scans are off because they read the index entries of deleted rows each time. An index scan marks these entries, so that the
 * next scan skips them.
 */
export const planSettings = ["random_page_cost = 1.1", "jit = off", "enable_bitmapscan = off"];
