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
 * Settings of each session. PostgreSQL's manual advises this page cost where most pages are in memory: with the default, a claim scanned
 * the whole table of a hundred endpoints once for each lane, and a delivery cost PGlite a seventh more CPU. And PostgreSQL compiles a
 * statement whose tables its statistics believe to be large: with an open snapshot, it spends a long time deleting nothing.
 *
 * An index scan marks the entries of deleted rows, and the next one skips them; a bitmap scan reads them each time. Counting the leases of
 * a lane took PostgreSQL 27 µs instead of 3. No index here is one that only bitmaps can read.
 */
export const planSettings = ["random_page_cost = 1.1", "jit = off", "enable_bitmapscan = off"];
