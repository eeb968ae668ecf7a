const longestMs = 1_000;

/**
 * When a connection discards the plans of its prepared statements. A plan is made for the size that tables have, and is kept until
 * they are analysed: beside 100,000 endpoints that no one had analysed, 5,800 deliveries a second fell to 660.
 */
export class PlanAge {
  #since = Number.NEGATIVE_INFINITY;

  /** @returns true once a second at most: discard them now */
  areOld(): boolean {
    const now = performance.now();
    if (now - this.#since < longestMs) return false;
    this.#since = now;
    return true;
  }
}
