/** Foreground work has a caller that waits for it; background work has none. */
export type Lane = "foreground" | "background";

/** So many turns in a row may pass over the background: under any load it still gets some. */
const maxConsecutive = 4;

/** One piece of work at a time: the foreground's before the background's, each in the order it came. */
export class PriorityMutex {
  readonly #waiting: Record<Lane, (() => void)[]> = { foreground: [], background: [] };
  #isTaken = false;
  #foregroundInARow = 0;

  async take<T>(lane: Lane, work: () => Promise<T>): Promise<T> {
    if (this.#isTaken) await new Promise<void>((resolve) => void this.#waiting[lane].push(resolve));
    this.#isTaken = true;
    try {
      return await work();
    } finally {
      this.#giveToNext();
    }
  }

  #giveToNext(): void {
    const { foreground, background } = this.#waiting;
    const isBackgroundsTurn = foreground.length === 0 || this.#foregroundInARow >= maxConsecutive;
    const lane = isBackgroundsTurn && background.length > 0 ? background : foreground;
    this.#foregroundInARow = lane === foreground && background.length > 0 ? this.#foregroundInARow + 1 : 0;
    const next = lane.shift();
    // Stays taken for the next: callers that come before it has begun are after it.
    if (next === undefined) this.#isTaken = false;
    else next();
  }
}
