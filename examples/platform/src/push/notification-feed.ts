import { sql } from "kysely";
import { runLoop } from "../outbox/timers.ts";
import { assignPositions, type Unassigned } from "../store/feed-positions.ts";
import type { Signals } from "../store/signals.ts";
import type { Store } from "../store/store.ts";
import type { Notification } from "./push-transport.ts";

/** A notification with its position in the worker's feed, from which a reader can resume. */
export interface FeedNotification extends Notification {
  position: number;
}

export type NotificationListener = (notification: FeedNotification) => void;

/** Passes new notifications to the worker app's event stream. It reads the store after each signal from any process. */
export interface NotificationFeed {
  /** Returns the worker's notifications in order. */
  since(workerId: string): Promise<FeedNotification[]>;
  /**
   * Calls `listener` once for each notification, in order.
   *
   * @param after the position of the last known notification, from `since`, or 0 to receive all
   * @returns a function that ends the subscription
   */
  subscribe(workerId: string, after: number, listener: NotificationListener): () => void;
  stop(): Promise<void>;
}

export interface NotificationFeedOptions {
  signals: Pick<Signals, "subscribe">;
  onError: (error: unknown) => void;
}

const untilWoken = Number.POSITIVE_INFINITY;

/** The delay before notifications that another transaction has locked are read again, since it may end without a signal. */
const lockedPauseMs = 250;

interface Subscriber {
  listener: NotificationListener;
  /** The position of the last notification that the listener received. */
  position: number;
}

function deliver(notification: FeedNotification, subscriber: Subscriber): void {
  if (notification.position <= subscriber.position) return;
  subscriber.position = notification.position;
  subscriber.listener(notification);
}

export function openNotificationFeed(store: Store, { signals, onError }: NotificationFeedOptions): NotificationFeed {
  /** Subscribers, keyed by worker id. */
  const subscribers = new Map<string, Set<Subscriber>>();
  /** Workers who may have new notifications. */
  const stale = new Set<string>();

  const poll = async (): Promise<number> => {
    const after = new Map<string, number>();
    // A subscriber that arrives during this read may be further behind, so it waits for the next read.
    const listening = new Set<Subscriber>();
    for (const workerId of stale)
      for (const subscriber of subscribers.get(workerId) ?? []) {
        listening.add(subscriber);
        after.set(workerId, Math.min(subscriber.position, after.get(workerId) ?? subscriber.position));
      }
    stale.clear();
    if (after.size === 0) return untilWoken;
    const pollAgain = (): void => {
      for (const workerId of after.keys()) stale.add(workerId);
    };
    try {
      const unassigned = await assignAll(store, [...after.keys()]);
      for (const notification of await readAfter(store, after))
        for (const subscriber of subscribers.get(notification.workerId) ?? [])
          if (listening.has(subscriber)) deliver(notification, subscriber);
      if (unassigned === "none") return untilWoken;
      pollAgain();
      return lockedPauseMs;
    } catch (error) {
      pollAgain();
      throw error;
    }
  };

  const polling = runLoop(poll, onError);
  const unsubscribe = signals.subscribe((heard) => {
    if (heard !== "everything" && heard.topic !== "notification") return;
    const named = heard === "everything" ? undefined : heard.workerIds;
    for (const workerId of named ?? subscribers.keys()) if (subscribers.has(workerId)) stale.add(workerId);
    if (stale.size > 0) polling.wake();
  });
  return {
    since: (workerId) => readNotifications(store, workerId),
    subscribe(workerId, after, listener) {
      const subscriber: Subscriber = { listener, position: after };
      const others = subscribers.get(workerId) ?? new Set();
      subscribers.set(workerId, others.add(subscriber));
      // Changes committed after `after` was read have already been signalled, so poll for them.
      stale.add(workerId);
      polling.wake();
      return () => {
        others.delete(subscriber);
        if (others.size === 0 && subscribers.get(workerId) === others) subscribers.delete(workerId);
      };
    },
    async stop() {
      unsubscribe();
      await polling.stop();
    },
  };
}

/** Reads a worker's notifications, pushed or not (D-48), in feed order. */
export async function readNotifications(store: Store, workerId: string): Promise<FeedNotification[]> {
  await assignAll(store, [workerId]);
  return readAfter(store, new Map([[workerId, 0]]));
}

async function assignAll(store: Store, workerIds: readonly string[]): Promise<Unassigned> {
  let unassigned: Unassigned;
  do unassigned = await assignPositions(store, "notifications", workerIds);
  while (unassigned === "more");
  return unassigned;
}

/** Reads each worker's feed. @param after maps a worker to the position that the read starts after */
function readAfter({ db }: Store, after: ReadonlyMap<string, number>): Promise<FeedNotification[]> {
  const wanted = sql<{ worker_id: string; after: number }>`
    (select key as worker_id, value::bigint as after from json_each_text(${JSON.stringify(Object.fromEntries(after))}::text::json))`;
  return db
    .selectFrom(wanted.as("wanted"))
    .innerJoin("notifications", (join) =>
      join
        .onRef("notifications.worker_id", "=", "wanted.worker_id")
        .onRef("notifications.position", ">", "wanted.after"),
    )
    .innerJoin("offers", "offers.id", "notifications.offer_id")
    .select([
      "notifications.id",
      "notifications.worker_id as workerId",
      "notifications.device_id as deviceId",
      "notifications.offer_id as offerId",
      "offers.title as offerTitle",
      "notifications.reason",
      "notifications.created_at as createdAt",
    ])
    .select(sql<number>`notifications.position`.as("position"))
    .orderBy("notifications.position")
    .execute();
}

/** Returns the last position in a worker's feed. A page that shows everything up to it resumes after it. */
export async function endOfNotifications(store: Store, workerId: string): Promise<number> {
  await assignAll(store, [workerId]);
  const feed = await store.db
    .selectFrom("notification_feeds")
    .select("last_position")
    .where("worker_id", "=", workerId)
    .executeTakeFirst();
  return Number(feed?.last_position ?? 0);
}
