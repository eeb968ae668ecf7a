import { randomBytes } from "node:crypto";
import type { Signals } from "../../signals/open-signals.ts";
import type { Heard, Topic } from "../../signals/signal.ts";

/** So many signals back a page may be that connects, or comes back: else it looks at everything. */
const keptSignals = 1_000;
/** What is heard within it is told together. */
const mergeMs = 50;

/** Everything: anything may have changed. */
export type LiveListener = (topics: readonly Topic[] | "everything", position: string) => void;

/** Which topics of an organisation change, for the event streams of its pages (D-82). */
export interface LiveTopics {
  /** How much was heard by now: what a page says that it has, when it is made after this. Of this process alone. */
  position(): string;
  /**
   * Calls `listener` with what changed since a position, and from then on: nothing falls between. With everything, when that
   * position is not known (any more).
   *
   * @returns ends it
   */
  follow(organisationId: string, since: string, listener: LiveListener): () => void;
  stop(): void;
}

export interface LiveTopicsOptions {
  /** Whether each organisation's pages show all mail there is. */
  showAllMail: boolean;
}

interface Follower {
  organisationId: string;
  listener: LiveListener;
  /** How many signals it was told of, or needs not; undefined when nobody knows. */
  toldUpTo: number | undefined;
}

export function openLiveTopics(signals: Pick<Signals, "subscribe">, { showAllMail }: LiveTopicsOptions): LiveTopics {
  const process = randomBytes(8).toString("hex");
  const followers = new Set<Follower>();
  /** The last ones. */
  const heard: Heard[] = [];
  let count = 0;
  let timer: NodeJS.Timeout | undefined;

  const concerns = (each: Heard, organisationId: string): each is Exclude<Heard, "everything"> =>
    each !== "everything" && (each.organisationId === organisationId || (each.topic === "mail" && showAllMail));

  const tell = (follower: Follower): void => {
    const { organisationId, listener, toldUpTo = Number.NEGATIVE_INFINITY } = follower;
    if (toldUpTo === count) return;
    follower.toldUpTo = count;
    const missed = count - toldUpTo;
    const since = missed > heard.length ? (["everything"] as const) : heard.slice(-missed);
    const theirs = since.filter((each) => concerns(each, organisationId)).map(({ topic }) => topic);
    if (since.includes("everything")) listener("everything", position());
    else if (theirs.length > 0) listener([...new Set(theirs)], position());
  };

  const position = (): string => `${process}-${count}`;
  const countAt = (text: string): number | undefined => {
    const [, by, number] = /^([0-9a-f]{16})-(\d{1,15})$/.exec(text) ?? [];
    return by === process && Number(number) <= count ? Number(number) : undefined;
  };

  const leave = signals.subscribe((each) => {
    // No page of an organisation shows them.
    if (each !== "everything" && each.topic === "notification") return;
    count += 1;
    heard.push(each);
    if (heard.length >= 2 * keptSignals) heard.splice(0, keptSignals);
    if (followers.size === 0) return;
    timer ??= setTimeout(() => {
      timer = undefined;
      followers.forEach(tell);
    }, mergeMs);
  });

  return {
    position,
    follow(organisationId, since, listener) {
      const follower: Follower = { organisationId, listener, toldUpTo: countAt(since) };
      followers.add(follower);
      tell(follower);
      return () => void followers.delete(follower);
    },
    stop() {
      leave();
      clearTimeout(timer);
    },
  };
}
