/** Users and programs wait for foreground work. Background work is deliveries, pushes, emails and retention. */
export type Lane = "foreground" | "background";

/** After this many consecutive foreground turns, the background lane gets a turn, so that it does not starve. */
const maxForegroundTurns = 4;

/** Runs one task at a time: foreground tasks first, and within a lane in order of arrival. */
export class PriorityMutex {
  readonly #waiting: Record<Lane, (() => void)[]> = { foreground: [], background: [] };
  #isLocked = false;
  #foregroundTurns = 0;

  async runExclusive<T>(lane: Lane, work: () => Promise<T>): Promise<T> {
    if (this.#isLocked) await new Promise<void>((resolve) => void this.#waiting[lane].push(resolve));
    this.#isLocked = true;
    try {
      return await work();
    } finally {
      this.#passToNext();
    }
  }

  #passToNext(): void {
    const { foreground, background } = this.#waiting;
    const isBackgroundTurn = foreground.length === 0 || this.#foregroundTurns >= maxForegroundTurns;
    const queue = isBackgroundTurn && background.length > 0 ? background : foreground;
    // Count foreground turns only while background tasks are waiting.
    this.#foregroundTurns = queue === foreground && background.length > 0 ? this.#foregroundTurns + 1 : 0;
    const next = queue.shift();
    // If there is a next caller, the mutex stays locked, so that callers that arrive before it runs queue behind it.
    if (next === undefined) this.#isLocked = false;
    else next();
  }
}
