import { sql } from "kysely";
import { runLoop } from "../outbox/timers.ts";
import { placeRows, type Unplaced } from "../store/feed-positions.ts";
import type { Signals } from "../store/signals.ts";
import type { Store } from "../store/store.ts";
import type { Notification } from "./push-transport.ts";

/** A notification with its place in the worker's feed, after which a reader can resume. */
export interface PlacedNotification extends Notification {
  position: number;
}

export type NotificationListener = (notification: PlacedNotification) => void;

/** New notifications, for the event stream of the worker app. It reads the store after each signal, of any process. */
export interface NotificationFeed {
  /** The worker's notifications, in their order. */
  since(workerId: string): Promise<PlacedNotification[]>;
  /**
   * Calls `listener` once for each notification, in their order.
   *
   * @param after the position of the last known notification, from `since`, or 0 for all
   * @returns ends the subscription
   */
  subscribe(workerId: string, after: number, listener: NotificationListener): () => void;
  stop(): Promise<void>;
}

export interface NotificationFeedOptions {
  signals: Pick<Signals, "subscribe">;
  onError: (error: unknown) => void;
}

const untilWoken = Number.POSITIVE_INFINITY;

/** The delay before notifications locked by another transaction are read again: it may end without a signal. */
const lockedPauseMs = 250;

interface Subscriber {
  listener: NotificationListener;
  /** The position of the last notification that the listener received. */
  position: number;
}

function pass(notification: PlacedNotification, subscriber: Subscriber): void {
  if (notification.position <= subscriber.position) return;
  subscriber.position = notification.position;
  subscriber.listener(notification);
}

export function openNotificationFeed(store: Store, { signals, onError }: NotificationFeedOptions): NotificationFeed {
  /** Subscribers by worker id. */
  const subscribers = new Map<string, Set<Subscriber>>();
  /** Workers who may have new notifications. */
  const stale = new Set<string>();

  const look = async (): Promise<number> => {
    const after = new Map<string, number>();
    // A subscriber that arrives during the read may be further behind than it, and waits for the next read.
    const listening = new Set<Subscriber>();
    for (const workerId of stale)
      for (const subscriber of subscribers.get(workerId) ?? []) {
        listening.add(subscriber);
        after.set(workerId, Math.min(subscriber.position, after.get(workerId) ?? subscriber.position));
      }
    stale.clear();
    if (after.size === 0) return untilWoken;
    const lookAgain = (): void => {
      for (const workerId of after.keys()) stale.add(workerId);
    };
    try {
      const unplaced = await placeAll(store, [...after.keys()]);
      for (const notification of await readPlaced(store, after))
        for (const subscriber of subscribers.get(notification.workerId) ?? [])
          if (listening.has(subscriber)) pass(notification, subscriber);
      if (unplaced === "none") return untilWoken;
      lookAgain();
      return lockedPauseMs;
    } catch (error) {
      lookAgain();
      throw error;
    }
  };

  const looks = runLoop(look, onError);
  const leave = signals.subscribe((heard) => {
    if (heard !== "everything" && heard.topic !== "notification") return;
    const named = heard === "everything" ? undefined : heard.workerIds;
    for (const workerId of named ?? subscribers.keys()) if (subscribers.has(workerId)) stale.add(workerId);
    if (stale.size > 0) looks.wake();
  });
  return {
    since: (workerId) => readNotifications(store, workerId),
    subscribe(workerId, after, listener) {
      const subscriber: Subscriber = { listener, position: after };
      const others = subscribers.get(workerId) ?? new Set();
      subscribers.set(workerId, others.add(subscriber));
      // Everything that was committed since `after` was read has been signalled.
      stale.add(workerId);
      looks.wake();
      return () => {
        others.delete(subscriber);
        if (others.size === 0 && subscribers.get(workerId) === others) subscribers.delete(workerId);
      };
    },
    async stop() {
      leave();
      await looks.stop();
    },
  };
}

/** A worker's notifications, whether they were pushed or not (D-48), in the order of the feed. */
export async function readNotifications(store: Store, workerId: string): Promise<PlacedNotification[]> {
  await placeAll(store, [workerId]);
  return readPlaced(store, new Map([[workerId, 0]]));
}

async function placeAll(store: Store, workerIds: readonly string[]): Promise<Unplaced> {
  let unplaced: Unplaced;
  do unplaced = await placeRows(store, "notifications", workerIds);
  while (unplaced === "more");
  return unplaced;
}

/** @param after by worker, the position after which the feed is read */
function readPlaced({ db }: Store, after: ReadonlyMap<string, number>): Promise<PlacedNotification[]> {
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

/** The end of a worker's feed: a page that shows everything until then resumes after it. */
export async function endOfNotifications(store: Store, workerId: string): Promise<number> {
  await placeAll(store, [workerId]);
  const feed = await store.db
    .selectFrom("notification_feeds")
    .select("last_position")
    .where("worker_id", "=", workerId)
    .executeTakeFirst();
  return Number(feed?.last_position ?? 0);
}
