/** Users and programs wait for foreground work. Background work is deliveries, pushes, emails and retention. */
export type Lane = "foreground" | "background";

/** After this many consecutive foreground turns, the background lane gets a turn, so that it does not starve. */
const maxConsecutive = 4;

/** Runs one piece of work at a time: foreground work first, and within a lane in order of arrival. */
export class PriorityMutex {
  readonly #waiting: Record<Lane, (() => void)[]> = { foreground: [], background: [] };
  #isTaken = false;
  #foregroundInARow = 0;

  async runExclusive<T>(lane: Lane, work: () => Promise<T>): Promise<T> {
    if (this.#isTaken) await new Promise<void>((resolve) => void this.#waiting[lane].push(resolve));
    this.#isTaken = true;
    try {
      return await work();
    } finally {
      this.#passToNext();
    }
  }

  #passToNext(): void {
    const { foreground, background } = this.#waiting;
    const mayServeBackground = foreground.length === 0 || this.#foregroundInARow >= maxConsecutive;
    const lane = mayServeBackground && background.length > 0 ? background : foreground;
    this.#foregroundInARow = lane === foreground && background.length > 0 ? this.#foregroundInARow + 1 : 0;
    const next = lane.shift();
    // If there is a next caller, the mutex stays taken, so that callers that arrive before it runs queue behind it.
    if (next === undefined) this.#isTaken = false;
    else next();
  }
}
