import { setImmediate, setTimeout } from "node:timers/promises";

export interface GroupCommitOptions<T> {
  /** Writes a whole group in one transaction. */
  commit: (group: T[]) => Promise<void>;
  maxGroup: number;
  /** Told of each failed try. The group is tried again until `giveUpAfterMs`: a restart of the database is short. */
  onError: (error: unknown) => void;
  giveUpAfterMs: number;
}

interface Entry<T> {
  item: T;
  done: () => void;
}

const retryPauseMs = 250;

/** Collects what is ready while the last group is being written, and writes it as the next one. */
export class GroupCommit<T> {
  readonly #options: GroupCommitOptions<T>;
  readonly #waiting: Entry<T>[] = [];
  #writing = false;

  constructor(options: GroupCommitOptions<T>) {
    this.#options = options;
  }

  /** Resolves when the item is committed, or given up. */
  add(item: T): Promise<void> {
    return new Promise((done) => {
      this.#waiting.push({ item, done });
      if (!this.#writing) void this.#writeAll();
    });
  }

  async #writeAll(): Promise<void> {
    this.#writing = true;
    // What arrives in the same turn of the event loop goes into the first group.
    await setImmediate();
    while (this.#waiting.length > 0) {
      const group = this.#waiting.splice(0, this.#options.maxGroup);
      await this.#write(group.map(({ item }) => item));
      for (const { done } of group) done();
    }
    this.#writing = false;
  }

  async #write(items: T[]): Promise<void> {
    const giveUpAt = performance.now() + this.#options.giveUpAfterMs;
    for (;;) {
      try {
        return await this.#options.commit(items);
      } catch (error) {
        this.#options.onError(error);
        if (performance.now() >= giveUpAt) return;
        await setTimeout(retryPauseMs);
      }
    }
  }
}
