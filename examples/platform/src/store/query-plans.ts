const longestMs = 1_000;

/**
 * Decides when a connection discards the plans of its prepared statements. A plan suits the table sizes at the time it was
 * made, and is kept until the tables are analysed: with 100,000 new endpoints and no analyse, 5,800 deliveries a second
 * fell to 660.
 */
export class PlanAge {
  #since = Number.NEGATIVE_INFINITY;

  /** @returns true at most once a second: discard the plans now */
  areOld(): boolean {
    const now = performance.now();
    if (now - this.#since < longestMs) return false;
    this.#since = now;
    return true;
  }
}

/**
 * A setting of each session: PostgreSQL's manual advises it where most pages are in memory. With the default, a claim scanned the
 * whole table of a hundred endpoints once for each lane, and a delivery cost PGlite a seventh more CPU.
 */
export const pageCost = "random_page_cost = 1.1";
