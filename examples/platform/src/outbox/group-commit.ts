import { setImmediate, setTimeout as sleep } from "node:timers/promises";

export interface GroupCommitOptions<T> {
  /** Writes a whole group in one transaction. */
  commit: (group: T[]) => Promise<void>;
  /** Whether an error from `commit` says that the store is unavailable, so that no other group can be written now. */
  isUnavailable: (error: unknown) => boolean;
  maxGroup: number;
  /** The maximum number of groups that are written concurrently. @default 1 */
  maxConcurrent?: number;
  /** How long an incomplete group waits for more items. @default 0 */
  delayMs?: number;
  /** Called with the error from each failed commit. */
  onError: (error: unknown) => void;
  /** How long to retry an item that cannot be committed even alone, and how long to retry after `stop`. */
  giveUpAfterMs: number;
  /** Ends the work on an item that cannot be committed. If this fails too, the item is retried. */
  giveUp: (item: T) => Promise<void>;
}

interface WaitingItem<T> {
  item: T;
  resolve: (hasEnded: boolean) => void;
}

/** While a group is being written, the next one is written when it is full, or when the write has taken this long. */
const slowWriteMs = 100;
const firstPauseMs = 250;
const maxPauseMs = 2_000;

/**
 * Collects the items that arrive while a group is being written, and writes them as the next group (group commit). While the store is
 * unavailable, all items wait, and one at a time is tried. After any other error, each item of the group is committed separately, so
 * that an item that always fails does not delay the others.
 */
export class GroupCommit<T> {
  readonly #options: GroupCommitOptions<T>;
  readonly #waiting: WaitingItem<T>[] = [];
  #activeWrites = 0;
  /** Runs while a group is being written, until that write counts as slow. */
  #slowTimer: NodeJS.Timeout | undefined;
  /** How long to pause when the store is unavailable. Longer than the first pause if it was when it was last tried. */
  #pauseMs = firstPauseMs;
  #stopAtMs = Number.POSITIVE_INFINITY;

  constructor(options: GroupCommitOptions<T>) {
    this.#options = options;
  }

  /** Adds an item. Resolves with true once the item is committed or given up, or with false if neither was possible before the stop. */
  add(item: T): Promise<boolean> {
    return new Promise((resolve) => {
      this.#waiting.push({ item, resolve });
      this.#startIfReady();
    });
  }

  /** Ends retries that do not succeed within `giveUpAfterMs`. */
  stop(): void {
    this.#stopAtMs = performance.now() + this.#options.giveUpAfterMs;
  }

  #startIfReady(): void {
    const { maxGroup, maxConcurrent = 1 } = this.#options;
    const minItems = this.#slowTimer === undefined ? 1 : maxGroup;
    if (this.#activeWrites >= maxConcurrent || this.#waiting.length < minItems) return;
    this.#activeWrites += 1;
    this.#stopSlowTimer();
    this.#slowTimer = setTimeout(() => {
      this.#stopSlowTimer();
      this.#startIfReady();
    }, slowWriteMs);
    void this.#writeGroup().finally(() => {
      this.#activeWrites -= 1;
      if (this.#activeWrites === 0) this.#stopSlowTimer();
      this.#startIfReady();
    });
  }

  #stopSlowTimer(): void {
    clearTimeout(this.#slowTimer);
    this.#slowTimer = undefined;
  }

  async #writeGroup(): Promise<void> {
    const { maxGroup, delayMs = 0 } = this.#options;
    // Items that arrive in the same turn of the event loop join the group.
    if (this.#waiting.length < maxGroup) await (delayMs === 0 ? setImmediate() : sleep(delayMs));
    const group = this.#waiting.splice(0, this.#pauseMs > firstPauseMs ? 1 : maxGroup);
    if (group.length === 0) return;
    const outcome = await this.#commit(group);
    if (outcome === "unavailable") await this.#putBack(group);
    else if (outcome === "failed") await this.#commitSeparately(group);
  }

  /** Lets a group wait for the store, behind the other items, because one of its own items may be the cause. */
  async #putBack(group: readonly WaitingItem<T>[]): Promise<void> {
    if (performance.now() >= this.#stopAtMs) {
      for (const { resolve } of group) resolve(false);
      return;
    }
    this.#waiting.push(...group);
    const pauseMs = this.#pauseMs;
    this.#pauseMs = Math.min(2 * pauseMs, maxPauseMs);
    await sleep(pauseMs);
  }

  async #commitSeparately(group: readonly WaitingItem<T>[]): Promise<void> {
    for (const [index, waitingItem] of group.entries()) {
      const outcome = group.length === 1 ? "failed" : await this.#commit([waitingItem]);
      if (outcome === "unavailable") return this.#putBack(group.slice(index));
      // Does not wait, so that the next group can be written.
      if (outcome === "failed") void this.#retry(waitingItem);
    }
  }

  async #retry(waitingItem: WaitingItem<T>): Promise<void> {
    const giveUpAtMs = performance.now() + this.#options.giveUpAfterMs;
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, maxPauseMs)) {
      await sleep(pauseMs);
      if ((await this.#commit([waitingItem])) === "ended") return;
      if (performance.now() >= giveUpAtMs) {
        const giveUp = () => this.#options.giveUp(waitingItem.item);
        if ((await this.#end([waitingItem], giveUp)) === "ended") return;
      }
      if (performance.now() >= this.#stopAtMs) return waitingItem.resolve(false);
    }
  }

  #commit = (group: readonly WaitingItem<T>[]) =>
    this.#end(group, () => this.#options.commit(group.map(({ item }) => item)));

  /** Ends the work on a group, unless `work` fails. */
  async #end(group: readonly WaitingItem<T>[], work: () => Promise<void>): Promise<"ended" | "unavailable" | "failed"> {
    const { isUnavailable, onError } = this.#options;
    try {
      await work();
    } catch (error) {
      onError(error);
      return isUnavailable(error) ? "unavailable" : "failed";
    }
    this.#pauseMs = firstPauseMs;
    for (const { resolve } of group) resolve(true);
    return "ended";
  }
}
