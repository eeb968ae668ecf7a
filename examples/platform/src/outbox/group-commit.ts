import { setImmediate, setTimeout } from "node:timers/promises";

export interface GroupCommitOptions<T> {
  /** Writes a whole group in one transaction. */
  commit: (group: T[]) => Promise<void>;
  maxGroup: number;
  /** How many groups are written concurrently. While one is being written, another starts only when it is full. @default 1 */
  maxConcurrent?: number;
  /** How long a group that is not full waits for more items. @default 0 */
  delayMs?: number;
  /**
   * Called with the error from each failed commit. The group is retried until `giveUpAfterMs`, long enough for the
   * database to restart. Then each item is tried once on its own, so that one bad item does not discard the others.
   */
  onError: (error: unknown) => void;
  giveUpAfterMs: number;
}

interface WaitingItem<T> {
  item: T;
  done: (isWritten: boolean) => void;
}

const retryPauseMs = 250;

/** Group commit: collects the items that arrive while a group is being written, and writes them as the next group. */
export class GroupCommit<T> {
  readonly #options: GroupCommitOptions<T>;
  readonly #waiting: WaitingItem<T>[] = [];
  #writing = 0;

  constructor(options: GroupCommitOptions<T>) {
    this.#options = options;
  }

  /** Resolves with true once the item is committed, or with false once it is given up. */
  add(item: T): Promise<boolean> {
    return new Promise((done) => {
      this.#waiting.push({ item, done });
      this.#begin();
    });
  }

  #begin(): void {
    const { maxGroup, maxConcurrent = 1 } = this.#options;
    const fewest = this.#writing === 0 ? 1 : maxGroup;
    if (this.#writing >= maxConcurrent || this.#waiting.length < fewest) return;
    this.#writing += 1;
    void this.#writeGroup().finally(() => {
      this.#writing -= 1;
      this.#begin();
    });
  }

  async #writeGroup(): Promise<void> {
    const { maxGroup, delayMs = 0 } = this.#options;
    // Items that arrive in the same turn of the event loop join the group.
    if (this.#waiting.length < maxGroup) await (delayMs === 0 ? setImmediate() : setTimeout(delayMs));
    const group = this.#waiting.splice(0, maxGroup);
    if (group.length === 0) return;
    const isWritten = await this.#write(group.map(({ item }) => item));
    if (isWritten || group.length === 1) for (const { done } of group) done(isWritten);
    else await Promise.all(group.map(async ({ item, done }) => done(await this.#try([item]))));
  }

  async #write(items: T[]): Promise<boolean> {
    const giveUpAt = performance.now() + this.#options.giveUpAfterMs;
    while (!(await this.#try(items))) {
      if (performance.now() >= giveUpAt) return false;
      await setTimeout(retryPauseMs);
    }
    return true;
  }

  async #try(items: T[]): Promise<boolean> {
    try {
      await this.#options.commit(items);
      return true;
    } catch (error) {
      this.#options.onError(error);
      return false;
    }
  }
}
