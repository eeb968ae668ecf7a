/** A claim as it stands in the store. */
export interface ActiveClaim {
  id: string;
  /** When it was made or last renewed; only ever compared with itself. */
  renewed: string;
}

interface Seen {
  renewed: string;
  sinceMs: number;
}

/**
 * Finds the claims of processes that died: those seen unrenewed for a whole lease, look after look. It reads no clock but
 * its own, and begins anew after a pause between looks: while the store did not answer, nobody could renew.
 */
export class LapseWatch {
  readonly #leaseMs: number;
  readonly #longestPauseMs: number;
  #seen = new Map<string, Seen>();
  #lastLookMs = Number.NEGATIVE_INFINITY;

  /** @param longestPauseMs between two looks that belong together */
  constructor(leaseMs: number, longestPauseMs: number) {
    this.#leaseMs = leaseMs;
    this.#longestPauseMs = longestPauseMs;
  }

  /**
   * @param nowMs of a clock that never goes back
   * @returns those of `active` that have lapsed
   */
  look<Claim extends ActiveClaim>(active: readonly Claim[], nowMs: number): Claim[] {
    const before = nowMs - this.#lastLookMs > this.#longestPauseMs ? new Map<string, Seen>() : this.#seen;
    this.#lastLookMs = nowMs;
    this.#seen = new Map(
      active.map(({ id, renewed }) => {
        const known = before.get(id);
        return [id, known?.renewed === renewed ? known : { renewed, sinceMs: nowMs }];
      }),
    );
    return active.filter(({ id }) => nowMs - (this.#seen.get(id)?.sinceMs ?? nowMs) >= this.#leaseMs);
  }
}
