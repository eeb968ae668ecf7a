import { setTimeout as sleep } from "node:timers/promises";
import type { FeedEvent, ReadPage } from "../catch-up/feed.ts";
import type { KeptCursor } from "./kept-cursor.ts";

/**
 * Forwards an event once.
 *
 * @param retryMs when to try again if the receiver does not acknowledge it; undefined if only the service retries it
 * @returns whether the receiver acknowledged it
 */
export type ForwardOnce = (retryMs: number | undefined) => Promise<boolean>;

export interface FeedFollowerOptions {
  readPage: ReadPage;
  kept: KeptCursor;
  /** Signs and forwards an event for which no push has arrived. */
  send(event: FeedEvent, retryMs: number): Promise<boolean>;
  /** Reports why the feed cannot be read, once per outage. */
  onFeedFailed(reason: string): void;
  /** How often the feed is read when there is no push. @default 5,000 */
  pollMs?: number | undefined;
}

/** The outcome of a push: `"waiting"` if its turn did not come in time, in which case the push is dropped. */
export type Turn = "forwarded" | "repeated" | "waiting";

/** A webhook whose sender waits for the response. */
interface Push {
  forwardOnce: ForwardOnce;
  settle(turn: Turn): void;
}

const firstRetryMs = 1_000;
const lastRetryMs = 30_000;

/**
 * Forwards each event once, in the order of the feed (D-146). A push triggers a read of the feed and provides its event's bytes. All other
 * events come from the feed, so none is missed while the listener or its receiver is down.
 */
export class FeedFollower {
  readonly #options: FeedFollowerOptions;
  readonly #pushes = new Map<string, Push>();
  #wake = (): void => undefined;

  constructor(options: FeedFollowerOptions) {
    this.#options = options;
  }

  /** Forwards a push when it is its event's turn. @param waitMs how long its sender waits */
  takeTurn(id: string, forwardOnce: ForwardOnce, waitMs: number): Promise<Turn> {
    if (this.#options.kept.hasForwarded(id)) return Promise.resolve("repeated");
    this.#pushes.get(id)?.settle("waiting");
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        // The push may be in progress or replaced by a later one.
        if (this.#pushes.get(id) !== push) return;
        this.#pushes.delete(id);
        resolve("waiting");
      }, waitMs);
      const settle = (turn: Turn): void => {
        clearTimeout(timer);
        resolve(turn);
      };
      const push: Push = { forwardOnce, settle };
      this.#pushes.set(id, push);
      this.#wake();
    });
  }

  /** Runs until aborted. @throws {UsageError} (rejects) if the first read of the feed fails, or the cursor cannot be saved */
  async run(signal: AbortSignal): Promise<void> {
    let [hasRead, failures] = [false, 0];
    while (!signal.aborted) {
      // A push that arrived before the feed was read but is not in the feed is not a feed event.
      const arrived = [...this.#pushes.keys()];
      const failure = await this.#readToEnd(signal);
      if (failure) {
        if (!hasRead) throw failure;
        failures += 1;
        if (failures === 1) this.#options.onFeedFailed(failure.message);
        await this.#pause(retryDelay(failures), signal);
        continue;
      }
      [hasRead, failures] = [true, 0];
      for (const id of arrived)
        if (!signal.aborted && (await this.#forwardPush(id, undefined))) this.#markForwarded(id);
      if (this.#pushes.size === 0) await this.#pause(this.#options.pollMs ?? 5_000, signal);
    }
    for (const push of this.#pushes.values()) push.settle("waiting");
    this.#pushes.clear();
  }

  /** @returns why a page could not be read */
  async #readToEnd(signal: AbortSignal): Promise<Error | undefined> {
    const { readPage, kept } = this.#options;
    while (!signal.aborted) {
      const page = await readPage(kept.cursor).catch((reason: Error) => reason);
      if (page instanceof Error) return page;
      for (const event of page.events) {
        if (!kept.hasForwarded(event.id)) await this.#forwardUntilAcknowledged(event, signal);
        if (signal.aborted) return undefined;
      }
      kept.moveTo(page.cursor);
      if (!page.more) return undefined;
    }
    return undefined;
  }

  /** Sends the event again until the receiver acknowledges it; later events wait. */
  async #forwardUntilAcknowledged(event: FeedEvent, signal: AbortSignal): Promise<void> {
    for (let attempt = 1; !signal.aborted; attempt += 1) {
      const retryMs = retryDelay(attempt);
      const isAcknowledged = await (this.#forwardPush(event.id, retryMs) ?? this.#options.send(event, retryMs));
      if (isAcknowledged) return this.#markForwarded(event.id);
      await this.#pause(retryMs, signal, event.id);
    }
  }

  /** @returns undefined if no push has carried the event */
  #forwardPush(id: string, retryMs: number | undefined): Promise<boolean> | undefined {
    const push = this.#pushes.get(id);
    if (!push) return undefined;
    this.#pushes.delete(id);
    return push.forwardOnce(retryMs).finally(() => push.settle("forwarded"));
  }

  #markForwarded(id: string): void {
    this.#options.kept.addForwarded(id);
    // Settles a push that arrived while the event was in progress.
    this.#pushes.get(id)?.settle("repeated");
    this.#pushes.delete(id);
  }

  /** Waits. Returns early when a push arrives: any push, or the one for the event `id`. */
  async #pause(ms: number, signal: AbortSignal, id?: string): Promise<void> {
    const woken = new AbortController();
    this.#wake = () => {
      if (id === undefined || this.#pushes.has(id)) woken.abort();
    };
    await sleep(ms, undefined, { signal: AbortSignal.any([signal, woken.signal]) }).catch(() => undefined);
    this.#wake = () => undefined;
  }
}

const retryDelay = (attempt: number): number => Math.min(firstRetryMs * 2 ** (attempt - 1), lastRetryMs);
