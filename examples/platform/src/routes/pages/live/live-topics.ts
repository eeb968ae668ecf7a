import { randomBytes } from "node:crypto";
import type { Signals } from "../../../store/signals.ts";
import type { ReceivedSignal, Topic } from "../../../store/store.ts";

/** The minimum number of signals to store. A page that has missed more than the stored signals reloads everything. */
const minStoredSignals = 1_000;
/** How long to collect signals before sending them together. */
const mergeMs = 50;

export type LiveListener = (topics: readonly Topic[] | "everything", position: string) => void;

/** Tracks which topics of an organisation changed, for the event streams of its pages (D-82). */
export interface LiveTopics {
  /** Returns the current position, which is valid only in this process. Call it before reading a page's data. */
  position(): string;
  /**
   * Calls `listener` with the changes since a position, then with every further change. Passes "everything" if the position is
   * unknown or too old.
   *
   * @returns a function that ends the subscription
   */
  follow(organisationIds: readonly string[], since: string, listener: LiveListener): () => void;
  stop(): void;
}

interface Follower {
  organisationIds: readonly string[];
  listener: LiveListener;
  /** The number of this process's signals that the follower has handled; undefined if it cannot be determined. */
  handledCount: number | undefined;
}

/** @param showAllMail whether every organisation's pages show all mail */
export function openLiveTopics(
  signals: Pick<Signals, "subscribe">,
  { showAllMail }: { showAllMail: boolean },
): LiveTopics {
  const processId = randomBytes(8).toString("hex");
  const followers = new Set<Follower>();
  /** The most recent signals. */
  const recentSignals: ReceivedSignal[] = [];
  let count = 0;
  let timer: NodeJS.Timeout | undefined;

  const isFor = (
    signal: ReceivedSignal,
    organisationIds: readonly string[],
  ): signal is Exclude<ReceivedSignal, "everything"> =>
    signal !== "everything" &&
    (organisationIds.some((id) => id === signal.organisationId) || (signal.topic === "mail" && showAllMail));

  const notify = (follower: Follower): void => {
    const { organisationIds, listener, handledCount } = follower;
    if (handledCount === count) return;
    follower.handledCount = count;
    const missedCount = handledCount === undefined ? Number.POSITIVE_INFINITY : count - handledCount;
    const signals = missedCount > recentSignals.length ? (["everything"] as const) : recentSignals.slice(-missedCount);
    const topics = signals.filter((signal) => isFor(signal, organisationIds)).map(({ topic }) => topic);
    if (signals.includes("everything")) listener("everything", position());
    else if (topics.length > 0) listener([...new Set(topics)], position());
  };

  const position = (): string => `${processId}-${count}`;
  const countAtPosition = (text: string): number | undefined => {
    const [, id, number] = /^([0-9a-f]{16})-(\d{1,15})$/.exec(text) ?? [];
    return id === processId && Number(number) <= count ? Number(number) : undefined;
  };

  const unsubscribe = signals.subscribe((signal) => {
    // The portal's pages do not show notifications.
    if (signal !== "everything" && signal.topic === "notification") return;
    count += 1;
    recentSignals.push(signal);
    // Delete the older half together, because deleting one signal each time would be slower.
    if (recentSignals.length >= 2 * minStoredSignals) recentSignals.splice(0, minStoredSignals);
    if (followers.size === 0) return;
    timer ??= setTimeout(() => {
      timer = undefined;
      followers.forEach(notify);
    }, mergeMs);
  });

  return {
    position,
    follow(organisationIds, since, listener) {
      const follower: Follower = { organisationIds, listener, handledCount: countAtPosition(since) };
      followers.add(follower);
      notify(follower);
      return () => void followers.delete(follower);
    },
    stop() {
      unsubscribe();
      clearTimeout(timer);
    },
  };
}
