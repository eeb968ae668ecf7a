/** Foreground: a person or program waits for the result. Background: deliveries, pushes, mail, retention. */
export type Lane = "foreground" | "background";

/** After this many consecutive foreground turns, the background gets one, so that it is not starved. */
const maxConsecutive = 4;

/** Runs one piece of work at a time, foreground first, each lane in the order of arrival. */
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
    // The mutex stays taken: a caller that arrives before `next` runs queues behind it.
    if (next === undefined) this.#isTaken = false;
    else next();
  }
}
