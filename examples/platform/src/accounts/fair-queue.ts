/** Who a task is for. */
export interface Lane {
  /** The tasks of one key take turns with those of each other key. */
  key: string;
  /** Whether tasks of strangers must not keep this one out of the queue. */
  isKnown: boolean;
}

export interface QueueLimits {
  maxRunning: number;
  maxWaiting: number;
  /** The maximum number of waiting tasks in a known lane, because nobody else can remove them. */
  maxWaitingInKnownLane: number;
  /** Creates the error for a task that does not run. */
  onFull: () => Error;
}

interface WaitingTask {
  start(): void;
  reject(error: Error): void;
}

interface WaitingLane {
  isKnown: boolean;
  tasks: WaitingTask[];
}

/**
 * Runs a few tasks at a time. Lanes take turns, so a lane with many tasks delays the others by only one task per round. Every second turn
 * belongs to the known lanes, so that strangers delay each of their tasks by only one.
 *
 * When the queue is full, a new task replaces the newest task of the longest lane if its own lane is shorter. A known lane's task replaces
 * any stranger's, and a stranger's never replaces a known lane's.
 */
export class FairQueue {
  readonly #limits: QueueLimits;
  /** The lanes with waiting tasks, in the order of their turns. */
  readonly #lanes = new Map<string, WaitingLane>();
  #runningCount = 0;
  #wasKnownsTurn = false;

  constructor(limits: QueueLimits) {
    this.#limits = limits;
  }

  /** Runs a task when it is its turn. @returns its result; rejects with the error from `onFull` if the task does not run */
  async run<Result>(lane: Lane, task: () => Promise<Result>): Promise<Result> {
    if (this.#runningCount < this.#limits.maxRunning) return this.#start(task);
    return new Promise<Result>((resolve, reject) => {
      if (!this.#makeRoom(lane)) return reject(this.#limits.onFull());
      const { tasks } = this.#lanes.get(lane.key) ?? this.#addLane(lane);
      tasks.push({ start: () => resolve(this.#start(task)), reject });
    });
  }

  #addLane({ key, isKnown }: Lane): WaitingLane {
    const lane = { isKnown, tasks: [] };
    this.#lanes.set(key, lane);
    return lane;
  }

  async #start<Result>(task: () => Promise<Result>): Promise<Result> {
    this.#runningCount += 1;
    try {
      return await task();
    } finally {
      this.#runningCount -= 1;
      this.#startNext();
    }
  }

  #startNext(): void {
    const lanes = [...this.#lanes];
    const next = lanes.find(([, { isKnown }]) => isKnown !== this.#wasKnownsTurn) ?? lanes[0];
    if (next === undefined) return;
    const [key, lane] = next;
    this.#wasKnownsTurn = lane.isKnown;
    const task = lane.tasks.shift();
    // The lane moves to the end.
    this.#lanes.delete(key);
    if (lane.tasks.length > 0) this.#lanes.set(key, lane);
    task?.start();
  }

  /** Removes a task if the queue is full. @returns whether there is room for a task of this lane */
  #makeRoom({ key, isKnown }: Lane): boolean {
    const ownLength = this.#lanes.get(key)?.tasks.length ?? 0;
    if (isKnown && ownLength === this.#limits.maxWaitingInKnownLane) return false;
    const lanes = [...this.#lanes];
    if (lanes.reduce((sum, [, { tasks }]) => sum + tasks.length, 0) < this.#limits.maxWaiting) return true;
    const [longest] = lanes
      .filter(([, lane]) => (lane.isKnown === isKnown ? lane.tasks.length > ownLength + 1 : isKnown))
      .toSorted(([, a], [, b]) => Number(a.isKnown) - Number(b.isKnown) || b.tasks.length - a.tasks.length);
    if (longest === undefined) return false;
    const [longestKey, { tasks }] = longest;
    tasks.pop()?.reject(this.#limits.onFull());
    if (tasks.length === 0) this.#lanes.delete(longestKey);
    return true;
  }
}
