import { sql } from "kysely";
import type { Signals } from "../../store/signals.ts";
import type { Store } from "../../store/store.ts";
import { placeRows } from "../feed-positions.ts";
import { runLoop } from "../outbox/timers.ts";
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
   * Calls `listener` once for each new notification. Subscribe first, then ask `since`: a notification of the last seconds
   * may come both ways, with the same id.
   *
   * @returns ends the subscription
   */
  subscribe(workerId: string, listener: NotificationListener): () => void;
  stop(): Promise<void>;
}

export interface NotificationFeedOptions {
  signals: Pick<Signals, "subscribe">;
  onError: (error: unknown) => void;
  /** A monotonic clock, in milliseconds. @default performance.now */
  elapsedMs?: () => number;
}

/**
 * How far back each read overlaps the last one: longer than a transaction may take, since notifications may be committed out
 * of order.
 */
const overlapMs = 10_000;

const untilWoken = Number.POSITIVE_INFINITY;

interface Subscriber {
  listener: NotificationListener;
  seen: Set<number>;
  /** The start of the last successful read for it. The next read covers everything since then. */
  lookedAtMs: number;
}

export function openNotificationFeed(store: Store, options: NotificationFeedOptions): NotificationFeed {
  const { signals, onError, elapsedMs = () => performance.now() } = options;
  /** By worker. */
  const subscribers = new Map<string, Set<Subscriber>>();
  /** Workers who may have new notifications. */
  const stale = new Set<string>();

  const look = async (): Promise<number> => {
    const workerIds = [...stale].filter((workerId) => subscribers.has(workerId));
    stale.clear();
    if (workerIds.length === 0) return untilWoken;
    const startedAtMs = elapsedMs();
    const looking = workerIds.flatMap((workerId) => [...(subscribers.get(workerId) ?? [])]);
    const lookedAtMs = looking.reduce((earliest, one) => Math.min(earliest, one.lookedAtMs), startedAtMs);
    try {
      const read = await readNotifications(store, workerIds, startedAtMs - lookedAtMs + overlapMs);
      for (const one of looking) one.lookedAtMs = startedAtMs;
      read.forEach(publish);
      return untilWoken;
    } catch (error) {
      for (const workerId of workerIds) stale.add(workerId);
      throw error;
    }
  };

  const publish = (notification: PlacedNotification): void => {
    for (const { seen, listener } of subscribers.get(notification.workerId) ?? []) {
      if (seen.has(notification.id)) continue;
      seen.add(notification.id);
      listener(notification);
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
    since: (workerId) => readNotifications(store, [workerId]),
    subscribe(workerId, listener) {
      const subscriber: Subscriber = { listener, seen: new Set(), lookedAtMs: elapsedMs() };
      const others = subscribers.get(workerId) ?? new Set();
      subscribers.set(workerId, others.add(subscriber));
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

/**
 * Workers' notifications, whether they were pushed or not (D-48), in the order of their feeds.
 *
 * @param withinMs of these last milliseconds; without it, all
 */
export async function readNotifications(
  store: Store,
  workerIds: readonly string[],
  withinMs?: number,
): Promise<PlacedNotification[]> {
  for (const workerId of workerIds) while (await placeRows(store, "notifications", workerId));
  return (
    store.db
      .selectFrom("notifications")
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
      .where("notifications.worker_id", "in", workerIds)
      // One that was committed since has a signal of its own.
      .where("notifications.position", "is not", null)
      .$if(withinMs !== undefined, (query) =>
        query.where(
          "notifications.created_at",
          ">",
          sql<Date>`now() - make_interval(secs => ${(withinMs ?? 0) / 1_000})`,
        ),
      )
      .orderBy("notifications.position")
      .execute()
  );
}

/** Where a worker's feed ends now: a page that shows everything until here resumes after it. */
export async function endOfNotifications(store: Store, workerId: string): Promise<number> {
  while (await placeRows(store, "notifications", workerId));
  const feed = await store.db
    .selectFrom("notification_feeds")
    .select("last_position")
    .where("worker_id", "=", workerId)
    .executeTakeFirst();
  return Number(feed?.last_position ?? 0);
}
