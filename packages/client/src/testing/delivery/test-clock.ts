/**
 * A clock that the test moves ahead of its base clock, which may also run by itself. It does not set timers: alarms ring only when the test
 * moves the clock.
 */
export class TestClock {
  readonly #base: () => Date;
  readonly #alarms = new Set<{ readonly at: number; readonly ring: () => void }>();
  #aheadMs = 0;

  constructor(base: () => Date) {
    this.#base = base;
  }

  readonly now = (): Date => new Date(this.ms);

  /** Milliseconds since 1970. */
  get ms(): number {
    return this.#base().getTime() + this.#aheadMs;
  }

  /** Moves the clock forwards, never back, and rings the alarms that are due. */
  moveTo(ms: number): void {
    this.#aheadMs += Math.max(0, ms - this.ms);
    for (const alarm of this.#alarms)
      if (alarm.at <= this.ms) {
        this.#alarms.delete(alarm);
        alarm.ring();
      }
  }

  /** Calls `ring` when the clock reaches `at`. @returns a function that removes the alarm */
  setAlarm(at: number, ring: () => void): () => void {
    const alarm = { at, ring };
    this.#alarms.add(alarm);
    return () => void this.#alarms.delete(alarm);
  }
}
