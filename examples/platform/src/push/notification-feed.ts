import { sql } from "kysely";
import { runLoop } from "../outbox/timers.ts";
import { assignPositions, type UnassignedRows } from "../store/feed-positions.ts";
import type { Signals } from "../store/signals.ts";
import type { Store } from "../store/store.ts";
import type { Notification } from "./push-transport.ts";

/** A notification and its position in the worker's feed. A reader can resume after any position. */
export interface FeedNotification extends Notification {
  position: number;
}

export type NotificationListener = (notification: FeedNotification) => void;

/** Passes new notifications to the worker app's event stream. Reads the store after each signal from any process. */
export interface NotificationFeed {
  /** Returns all of the worker's notifications in feed order. */
  readAll(workerId: string): Promise<FeedNotification[]>;
  /**
   * Calls `listener` once for each later notification, in feed order.
   *
   * @param after the position of the last notification from `readAll`, or 0 to receive all notifications
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

/** The pause before polling again for notifications that another transaction has locked. That transaction may end without a signal. */
const lockedPauseMs = 250;

interface Subscriber {
  listener: NotificationListener;
  /** The position of the last notification that the listener received. */
  position: number;
}

/** Passes a notification to a subscriber, unless the subscriber has already received it. */
function deliver(notification: FeedNotification, subscriber: Subscriber): void {
  if (notification.position <= subscriber.position) return;
  subscriber.position = notification.position;
  subscriber.listener(notification);
}

export function openNotificationFeed(store: Store, { signals, onError }: NotificationFeedOptions): NotificationFeed {
  /** Subscribers, keyed by worker id. */
  const subscribers = new Map<string, Set<Subscriber>>();
  /** Workers who may have new notifications. */
  const workersToPoll = new Set<string>();

  const poll = async (): Promise<number> => {
    /** The positions to read after, keyed by worker id. */
    const positions = new Map<string, number>();
    // A subscriber that is added during this read may need earlier notifications, so it waits for the next read.
    const includedSubscribers = new Set<Subscriber>();
    for (const workerId of workersToPoll)
      for (const subscriber of subscribers.get(workerId) ?? []) {
        includedSubscribers.add(subscriber);
        positions.set(workerId, Math.min(subscriber.position, positions.get(workerId) ?? subscriber.position));
      }
    workersToPoll.clear();
    if (positions.size === 0) return untilWoken;
    const pollAgain = (): void => {
      for (const workerId of positions.keys()) workersToPoll.add(workerId);
    };
    try {
      const unassignedRows = await assignAllPositions(store, [...positions.keys()]);
      for (const notification of await readNotificationsAfter(store, positions))
        for (const subscriber of subscribers.get(notification.workerId) ?? [])
          if (includedSubscribers.has(subscriber)) deliver(notification, subscriber);
      if (unassignedRows === "none") return untilWoken;
      pollAgain();
      return lockedPauseMs;
    } catch (error) {
      pollAgain();
      throw error;
    }
  };

  const polling = runLoop(poll, onError);
  const unsubscribe = signals.subscribe((signal) => {
    if (signal !== "everything" && signal.topic !== "notification") return;
    const workerIds = signal === "everything" ? undefined : signal.workerIds;
    for (const workerId of workerIds ?? subscribers.keys()) if (subscribers.has(workerId)) workersToPoll.add(workerId);
    if (workersToPoll.size > 0) polling.wake();
  });
  return {
    readAll: (workerId) => readNotifications(store, workerId),
    subscribe(workerId, after, listener) {
      const subscriber: Subscriber = { listener, position: after };
      const workerSubscribers = subscribers.get(workerId) ?? new Set();
      subscribers.set(workerId, workerSubscribers.add(subscriber));
      // Poll once, because signals for later notifications may already have been published.
      workersToPoll.add(workerId);
      polling.wake();
      return () => {
        workerSubscribers.delete(subscriber);
        // If this is called twice, later subscribers may be in a new set, which must stay.
        if (workerSubscribers.size === 0 && subscribers.get(workerId) === workerSubscribers)
          subscribers.delete(workerId);
      };
    },
    async stop() {
      unsubscribe();
      await polling.stop();
    },
  };
}

/** Reads all of a worker's notifications in feed order, whether or not they were pushed (D-48). */
export async function readNotifications(store: Store, workerId: string): Promise<FeedNotification[]> {
  await assignAllPositions(store, [workerId]);
  return readNotificationsAfter(store, new Map([[workerId, 0]]));
}

/** Assigns positions to all of the workers' notifications, except those that another transaction has locked. */
async function assignAllPositions(store: Store, workerIds: readonly string[]): Promise<UnassignedRows> {
  let unassignedRows: UnassignedRows;
  do {
    unassignedRows = await assignPositions(store, "notifications", workerIds);
  } while (unassignedRows === "more");
  return unassignedRows;
}

/** Reads the workers' feeds. @param positions maps each worker id to the position to read after */
function readNotificationsAfter({ db }: Store, positions: ReadonlyMap<string, number>): Promise<FeedNotification[]> {
  const cursors = sql<{ worker_id: string; after: number }>`
    (select key as worker_id, value::bigint as after from json_each_text(${JSON.stringify(Object.fromEntries(positions))}::text::json))`;
  return db
    .selectFrom(cursors.as("cursors"))
    .innerJoin("notifications", (join) =>
      join
        .onRef("notifications.worker_id", "=", "cursors.worker_id")
        .onRef("notifications.position", ">", "cursors.after"),
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

/** Returns the last position in a worker's feed. A page that shows all notifications subscribes after this position. */
export async function readLastPosition(store: Store, workerId: string): Promise<number> {
  await assignAllPositions(store, [workerId]);
  const feed = await store.db
    .selectFrom("notification_feeds")
    .select("last_position")
    .where("worker_id", "=", workerId)
    .executeTakeFirst();
  return Number(feed?.last_position ?? 0);
}
