import type { Heard, Signal } from "./signal.ts";

/** More workers are not named: every listener looks. */
const maxNamedWorkers = 100;
/** More signals become "everything". */
const maxSignals = 1_000;

/** Signals that wait to be sent together, each once. */
export class SignalSet {
  readonly #signals = new Map<string, Signal>();
  #isEverything = false;

  get isEmpty(): boolean {
    return !this.#isEverything && this.#signals.size === 0;
  }

  add(heard: Heard): void {
    if (this.#isEverything) return;
    if (heard === "everything" || this.#signals.size >= maxSignals) {
      this.#isEverything = true;
      this.#signals.clear();
      return;
    }
    const { topic, organisationId = "" } = heard;
    const key = `${topic} ${organisationId}`;
    const before = this.#signals.get(key);
    this.#signals.set(key, { ...heard, workerIds: namedTogether(before ?? { topic, workerIds: [] }, heard) });
  }

  /** @returns what waited, which waits no more */
  take(): readonly Signal[] | "everything" {
    const taken = this.#isEverything ? "everything" : [...this.#signals.values()];
    this.#isEverything = false;
    this.#signals.clear();
    return taken;
  }
}

/** Undefined when they are too many, or those of one are not named. */
function namedTogether(one: Signal, other: Signal): string[] | undefined {
  if (one.workerIds === undefined || other.workerIds === undefined) return undefined;
  const workerIds = [...new Set([...one.workerIds, ...other.workerIds])];
  return workerIds.length > maxNamedWorkers ? undefined : workerIds;
}
