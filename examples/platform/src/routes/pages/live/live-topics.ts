import { randomBytes } from "node:crypto";
import type { Signals } from "../../../store/signals.ts";
import type { ReceivedSignal, Topic } from "../../../store/store.ts";

/** How many signals are kept. A page that has missed more reloads everything. */
const keptSignals = 1_000;
/** How long signals are collected before they are sent together. */
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
  /** The number of signals handled so far; undefined if the position is unknown. */
  handled: number | undefined;
}

/** @param showAllMail whether the pages of every organisation show all mail */
export function openLiveTopics(
  signals: Pick<Signals, "subscribe">,
  { showAllMail }: { showAllMail: boolean },
): LiveTopics {
  const process = randomBytes(8).toString("hex");
  const followers = new Set<Follower>();
  /** The most recent signals. */
  const heard: ReceivedSignal[] = [];
  let count = 0;
  let timer: NodeJS.Timeout | undefined;

  const concerns = (
    each: ReceivedSignal,
    organisationIds: readonly string[],
  ): each is Exclude<ReceivedSignal, "everything"> =>
    each !== "everything" &&
    (organisationIds.some((id) => id === each.organisationId) || (each.topic === "mail" && showAllMail));

  const notify = (follower: Follower): void => {
    const { organisationIds, listener, handled = Number.NEGATIVE_INFINITY } = follower;
    if (handled === count) return;
    follower.handled = count;
    const missed = count - handled;
    const since = missed > heard.length ? (["everything"] as const) : heard.slice(-missed);
    const theirs = since.filter((each) => concerns(each, organisationIds)).map(({ topic }) => topic);
    if (since.includes("everything")) listener("everything", position());
    else if (theirs.length > 0) listener([...new Set(theirs)], position());
  };

  const position = (): string => `${process}-${count}`;
  const countAt = (text: string): number | undefined => {
    const [, by, number] = /^([0-9a-f]{16})-(\d{1,15})$/.exec(text) ?? [];
    return by === process && Number(number) <= count ? Number(number) : undefined;
  };

  const unsubscribe = signals.subscribe((each) => {
    // The portal's pages do not show notifications.
    if (each !== "everything" && each.topic === "notification") return;
    count += 1;
    heard.push(each);
    if (heard.length >= 2 * keptSignals) heard.splice(0, keptSignals);
    if (followers.size === 0) return;
    timer ??= setTimeout(() => {
      timer = undefined;
      followers.forEach(notify);
    }, mergeMs);
  });

  return {
    position,
    follow(organisationIds, since, listener) {
      const follower: Follower = { organisationIds, listener, handled: countAt(since) };
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
