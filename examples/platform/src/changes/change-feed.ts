import { runLoop } from "../outbox/run-loop.ts";
import type { Store } from "../store/store.ts";
import { changesSince, type Seen } from "./changes-since.ts";
import type { Mark } from "./mark.ts";

/** What the pages' event streams follow. It reads the store, so it does not matter which process made a change. */
export interface ChangeFeed {
  /**
   * Calls `listener` with what changed for the organisation since `mark`, and from then on: nothing falls between.
   *
   * @returns ends the subscription
   */
  subscribe(organisationId: string, mark: Mark, listener: (seen: Seen) => void): () => void;
  /** Looks now: call it after a commit. */
  wake(): void;
  stop(): Promise<void>;
}

export interface ChangeFeedOptions {
  onError: (error: unknown) => void;
  /** How often to look for what other processes changed. @default 400 */
  idleMs?: number;
}

interface Subscriber {
  organisationId: string;
  mark: Mark;
  listener: (seen: Seen) => void;
}

export function openChangeFeed(store: Store, { onError, idleMs = 400 }: ChangeFeedOptions): ChangeFeed {
  const subscribers = new Set<Subscriber>();

  const tick = async (): Promise<number> => {
    // All have the same mark, but for those who have just come.
    for (const mark of new Set([...subscribers].map((one) => one.mark))) {
      const some = [...subscribers].filter((one) => one.mark === mark);
      const organisationIds = [...new Set(some.map(({ organisationId }) => organisationId))];
      const seen = await changesSince(store, organisationIds, mark);
      for (const subscriber of some) tell(subscriber, seen);
    }
    return idleMs;
  };

  const tell = (subscriber: Subscriber, { changes, mark, isComplete }: Seen): void => {
    const { organisationId, listener } = subscriber;
    subscriber.mark = mark;
    const theirs = changes.filter((change) => change.organisationId === organisationId);
    if (subscribers.has(subscriber) && (theirs.length > 0 || !isComplete))
      listener({ changes: theirs, mark, isComplete });
  };

  const loop = runLoop(tick, onError);
  return {
    wake: loop.wake,
    stop: loop.stop,
    subscribe(organisationId, mark, listener) {
      const subscriber: Subscriber = { organisationId, mark, listener };
      subscribers.add(subscriber);
      loop.wake();
      return () => subscribers.delete(subscriber);
    },
  };
}
