import { setImmediate, setTimeout } from "node:timers/promises";

export interface GroupCommitOptions<T> {
  /** Writes a whole group in one transaction. */
  commit: (group: T[]) => Promise<void>;
  maxGroup: number;
  /** The maximum number of concurrent writes. While a group is being written, the next group is written only if it is full. @default 1 */
  maxConcurrent?: number;
  /** How long an incomplete group waits for more items. @default 0 */
  delayMs?: number;
  /** Called with the error from each failed commit. */
  onError: (error: unknown) => void;
  /**
   * How long a failed group is retried, which should be long enough for the database to restart. Then each item is committed
   * separately, once, so that an item that always fails does not discard the others.
   */
  giveUpAfterMs: number;
}

interface WaitingItem<T> {
  item: T;
  resolve: (isWritten: boolean) => void;
}

const retryPauseMs = 250;

/** Collects the items that arrive while a group is being written, and writes them as the next group (group commit). */
export class GroupCommit<T> {
  readonly #options: GroupCommitOptions<T>;
  readonly #waiting: WaitingItem<T>[] = [];
  #activeWrites = 0;

  constructor(options: GroupCommitOptions<T>) {
    this.#options = options;
  }

  /** Adds an item. Resolves with true once the item is committed, or with false if its commits keep failing. */
  add(item: T): Promise<boolean> {
    return new Promise((resolve) => {
      this.#waiting.push({ item, resolve });
      this.#startIfReady();
    });
  }

  #startIfReady(): void {
    const { maxGroup, maxConcurrent = 1 } = this.#options;
    const minItems = this.#activeWrites === 0 ? 1 : maxGroup;
    if (this.#activeWrites >= maxConcurrent || this.#waiting.length < minItems) return;
    this.#activeWrites += 1;
    void this.#writeGroup().finally(() => {
      this.#activeWrites -= 1;
      this.#startIfReady();
    });
  }

  async #writeGroup(): Promise<void> {
    const { maxGroup, delayMs = 0 } = this.#options;
    // Items that arrive in the same turn of the event loop join the group.
    if (this.#waiting.length < maxGroup) await (delayMs === 0 ? setImmediate() : setTimeout(delayMs));
    const group = this.#waiting.splice(0, maxGroup);
    if (group.length === 0) return;
    const isWritten = await this.#commitWithRetries(group.map(({ item }) => item));
    if (isWritten || group.length === 1) {
      for (const { resolve } of group) resolve(isWritten);
      return;
    }
    await Promise.all(group.map(async ({ item, resolve }) => resolve(await this.#tryCommit([item]))));
  }

  async #commitWithRetries(items: T[]): Promise<boolean> {
    const giveUpAtMs = performance.now() + this.#options.giveUpAfterMs;
    while (!(await this.#tryCommit(items))) {
      if (performance.now() >= giveUpAtMs) return false;
      await setTimeout(retryPauseMs);
    }
    return true;
  }

  async #tryCommit(items: T[]): Promise<boolean> {
    try {
      await this.#options.commit(items);
      return true;
    } catch (error) {
      this.#options.onError(error);
      return false;
    }
  }
}
