import { setTimeout as sleep } from "node:timers/promises";

/**
 * Calls `work` for each item, with at most `concurrency` calls in parallel. After a failure, waits for the calls in progress and then
 * rejects with the first error.
 */
export async function forEachConcurrently<Item>(
  items: Iterable<Item> | AsyncIterable<Item>,
  concurrency: number,
  signal: AbortSignal | undefined,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const iterator = Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]();
  let failure: { readonly error: unknown } | undefined;
  let isDone = false;
  // Call the user's iterator sequentially, because it may not allow concurrent calls.
  const takeNext = makeSequential(async (): Promise<IteratorResult<Item>> => {
    if (signal?.aborted) throw signal.reason;
    return isDone ? { done: true, value: undefined } : iterator.next();
  });
  const processItems = async () => {
    try {
      for (;;) {
        const { done, value } = await takeNext();
        if (done) return;
        await work(value);
      }
    } catch (error) {
      // After an abort, a pending wait rejects with the timer's error instead of the signal's reason.
      failure ??= { error: signal?.aborted ? signal.reason : error };
    } finally {
      isDone = true;
    }
  };
  await Promise.all(Array.from({ length: concurrency }, processItems));
  if (!failure) return;
  // Let the user's generator close its cursor or file. An error from it would hide the failure, so ignore it.
  await Promise.resolve(iterator.return?.()).catch(() => undefined);
  throw failure.error;
}

/** Wraps a function so that each call starts only after the previous call has ended. */
function makeSequential<T>(run: () => Promise<T>): () => Promise<T> {
  let previous: Promise<unknown> = Promise.resolve();
  return () => {
    const result = previous.then(run);
    // A failed call does not prevent the next one. Its own caller receives the error.
    previous = result.catch(() => undefined);
    return result;
  };
}

/** Spaces calls evenly, even after a period without calls. */
export class Pacer {
  readonly #intervalMs: number;
  #nextAt = 0;

  constructor(intervalMs: number) {
    this.#intervalMs = intervalMs;
  }

  async wait(signal: AbortSignal | undefined): Promise<void> {
    const now = performance.now();
    const startAt = Math.max(this.#nextAt, now);
    this.#nextAt = startAt + this.#intervalMs;
    if (startAt > now) await sleep(startAt - now, undefined, { ...(signal && { signal }) });
  }
}
