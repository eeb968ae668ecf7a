import { sql } from "kysely";
import { runLoop } from "../queue/run-loop.ts";
import type { Store } from "../store/store.ts";
import type { Notification } from "./push-transport.ts";
import { sentNotifications } from "./sent-notifications.ts";

export type NotificationListener = (notification: Notification) => void;

/** What the worker app's event stream follows. It reads the store, so it does not matter which process sent. */
export interface NotificationFeed {
  /** What the worker was sent after notification `lastId`, in the order it was sent; all of it without one. */
  since(workerId: string, lastId?: number): Promise<Notification[]>;
  /**
   * Calls `listener` with what the worker is sent, once each. Subscribe first, then ask `since`: a notification of the
   * last seconds may come both ways, its id tells.
   *
   * @returns ends the subscription
   */
  subscribe(workerId: string, listener: NotificationListener): () => void;
  /** Looks now: call it after a commit that marked notifications as sent. */
  wake(): void;
  stop(): Promise<void>;
}

export interface NotificationFeedOptions {
  onError: (error: unknown) => void;
  /** How often to look for what other processes sent. @default 1_000 */
  idleMs?: number;
}

interface Subscriber {
  workerId: string;
  listener: NotificationListener;
  seen: Set<number>;
}

export function openNotificationFeed(store: Store, options: NotificationFeedOptions): NotificationFeed {
  const { onError, idleMs = 1_000 } = options;
  const subscribers = new Set<Subscriber>();

  const tick = async (): Promise<boolean> => {
    if (subscribers.size === 0) return false;
    const workerIds = [...new Set([...subscribers].map(({ workerId }) => workerId))];
    const recent = await sentNotifications(store)
      .where("notifications.worker_id", "in", workerIds)
      // Longer than a transaction may take: one may commit after a later one did.
      .where("notifications.sent_at", ">", sql<Date>`now() - interval '10 seconds'`)
      .execute();
    for (const { workerId, listener, seen } of subscribers)
      for (const notification of recent) {
        if (notification.workerId !== workerId || seen.has(notification.id)) continue;
        seen.add(notification.id);
        listener(notification);
      }
    return false;
  };

  const loop = runLoop(tick, { idleMs, onError });
  return {
    wake: loop.wake,
    stop: loop.stop,
    since(workerId, lastId) {
      const sent = sentNotifications(store).where("notifications.worker_id", "=", workerId);
      if (lastId === undefined) return sent.execute();
      // Ids are given at creation. One that was sent late may have a lower id than the last one seen.
      const lastSentAt = sql<Date>`(select sent_at from notifications where id = ${lastId} and worker_id = ${workerId})`;
      const after = sql<boolean>`(notifications.sent_at, notifications.id) > (${lastSentAt}, ${lastId})`;
      return sent.where(after).execute();
    },
    subscribe(workerId, listener) {
      const subscriber: Subscriber = { workerId, listener, seen: new Set() };
      subscribers.add(subscriber);
      return () => subscribers.delete(subscriber);
    },
  };
}
