import { setTimeout as sleep } from "node:timers/promises";
import type { FeedEvent, ReadPage } from "../catch-up/feed.ts";
import type { SavedCursor } from "./saved-cursor.ts";

/**
 * Forwards an event once.
 *
 * @param retryMs how long until the next attempt if the receiver does not acknowledge the event; undefined if only the service retries it
 * @returns whether the receiver acknowledged it
 */
export type ForwardOnce = (retryMs: number | undefined) => Promise<boolean>;

export interface FeedFollowerOptions {
  readPage: ReadPage;
  progress: SavedCursor;
  /** Signs and forwards an event for which no push has arrived. @returns whether the receiver acknowledged it */
  send(event: FeedEvent, retryMs: number): Promise<boolean>;
  /** Reports why the feed cannot be read, once per outage. */
  onFeedFailed(reason: string): void;
  /** How long to wait before reading the feed again if no push arrives. @default 5,000 */
  pollMs?: number | undefined;
}

/**
 * The outcome of a push. `"repeated"`: the receiver has already acknowledged the event. `"waiting"`: the push was dropped before its turn,
 * because earlier events were not acknowledged in time, a later push replaced it, or the listener stopped.
 */
export type PushOutcome = "forwarded" | "repeated" | "waiting";

/** A webhook that the service has sent. The service waits for the response. */
interface Push {
  forwardOnce: ForwardOnce;
  settle(outcome: PushOutcome): void;
}

const firstRetryMs = 1_000;
const maxRetryMs = 30_000;

/**
 * Forwards events in the order of the feed, each until the receiver acknowledges it (D-146). A push triggers a read of the feed and provides
 * the bytes to forward. An event without a push is built from the feed, so no event is missed while the listener or its receiver is down.
 */
export class FeedFollower {
  readonly #options: FeedFollowerOptions;
  readonly #pushes = new Map<string, Push>();
  /** Ends the current pause early. Does nothing between pauses. */
  #wake = (): void => undefined;

  constructor(options: FeedFollowerOptions) {
    this.#options = options;
  }

  /** Forwards a pushed event once all earlier events have been forwarded. @param waitMs how long the sender can wait for a response */
  forwardInTurn(id: string, forwardOnce: ForwardOnce, waitMs: number): Promise<PushOutcome> {
    if (this.#options.progress.hasForwarded(id)) return Promise.resolve("repeated");
    // This push replaces an earlier push of the same event.
    this.#pushes.get(id)?.settle("waiting");
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        // This push may already be in progress, or a later push may have replaced it.
        if (this.#pushes.get(id) !== push) return;
        this.#pushes.delete(id);
        resolve("waiting");
      }, waitMs);
      const settle = (outcome: PushOutcome): void => {
        clearTimeout(timer);
        resolve(outcome);
      };
      const push: Push = { forwardOnce, settle };
      this.#pushes.set(id, push);
      this.#wake();
    });
  }

  /** Runs until aborted. @throws {UsageError} (rejects) if the first read of the feed fails, or the cursor cannot be saved */
  async run(signal: AbortSignal): Promise<void> {
    let hasRead = false;
    let failureCount = 0;
    while (!signal.aborted) {
      // An event that was pushed before this read and is not in the feed is a test event, which the feed never contains.
      const idsBeforeRead = [...this.#pushes.keys()];
      const failure = await this.#forwardNewEvents(signal);
      if (failure) {
        if (!hasRead) throw failure;
        failureCount += 1;
        if (failureCount === 1) this.#options.onFeedFailed(failure.message);
        await this.#pause(retryDelayMs(failureCount), signal);
        continue;
      }
      hasRead = true;
      failureCount = 0;
      for (const id of idsBeforeRead)
        if (!signal.aborted && (await this.#forwardPush(id, undefined))) this.#markForwarded(id);
      if (this.#pushes.size === 0) await this.#pause(this.#options.pollMs ?? 5_000, signal);
    }
    for (const push of this.#pushes.values()) push.settle("waiting");
    this.#pushes.clear();
  }

  /** Reads the feed to its end and forwards each new event. @returns the error if a page could not be read, otherwise undefined */
  async #forwardNewEvents(signal: AbortSignal): Promise<Error | undefined> {
    const { readPage, progress } = this.#options;
    while (!signal.aborted) {
      const page = await readPage(progress.cursor).catch((reason: Error) => reason);
      if (page instanceof Error) return page;
      for (const event of page.events) {
        if (!progress.hasForwarded(event.id)) await this.#forwardUntilAcknowledged(event, signal);
        if (signal.aborted) return undefined;
      }
      progress.saveCursor(page.cursor);
      if (!page.more) return undefined;
    }
    return undefined;
  }

  /** Forwards the event until the receiver acknowledges it. Later events wait. */
  async #forwardUntilAcknowledged(event: FeedEvent, signal: AbortSignal): Promise<void> {
    for (let attempt = 1; !signal.aborted; attempt += 1) {
      const retryMs = retryDelayMs(attempt);
      const isAcknowledged = await (this.#forwardPush(event.id, retryMs) ?? this.#options.send(event, retryMs));
      if (isAcknowledged) return this.#markForwarded(event.id);
      await this.#pause(retryMs, signal, event.id);
    }
  }

  /** Forwards the waiting push for an event. @returns undefined if no push is waiting */
  #forwardPush(id: string, retryMs: number | undefined): Promise<boolean> | undefined {
    const push = this.#pushes.get(id);
    if (!push) return undefined;
    this.#pushes.delete(id);
    return push.forwardOnce(retryMs).finally(() => push.settle("forwarded"));
  }

  #markForwarded(id: string): void {
    this.#options.progress.saveForwarded(id);
    // Settles a push that arrived while the event was being forwarded.
    this.#pushes.get(id)?.settle("repeated");
    this.#pushes.delete(id);
  }

  /** Waits, but returns early when a push arrives. If `id` is passed, only a push of that event ends the wait. */
  async #pause(ms: number, signal: AbortSignal, id?: string): Promise<void> {
    const pushArrived = new AbortController();
    this.#wake = () => {
      if (id === undefined || this.#pushes.has(id)) pushArrived.abort();
    };
    // An abort ends the wait with an error.
    await sleep(ms, undefined, { signal: AbortSignal.any([signal, pushArrived.signal]) }).catch(() => undefined);
    this.#wake = () => undefined;
  }
}

const retryDelayMs = (attempt: number): number => Math.min(firstRetryMs * 2 ** (attempt - 1), maxRetryMs);
