import { sql } from "kysely";
import { runLoop } from "../outbox/run-loop.ts";
import type { Store } from "../store/store.ts";
import type { Notification } from "./push-transport.ts";
import { toldNotifications } from "./told-notifications.ts";

export type NotificationListener = (notification: Notification) => void;

/** What the worker app's event stream follows. It reads the store, so it does not matter which process told. */
export interface NotificationFeed {
  /** What the worker was told, in that order. */
  since(workerId: string): Promise<Notification[]>;
  /**
   * Calls `listener` with what the worker is told, once each. Subscribe first, then ask `since`: a notification of the
   * last seconds may come both ways, its id tells.
   *
   * @returns ends the subscription
   */
  subscribe(workerId: string, listener: NotificationListener): () => void;
  /** Looks now: call it after a commit that put notifications on the menu. */
  wake(): void;
  stop(): Promise<void>;
}

export interface NotificationFeedOptions {
  onError: (error: unknown) => void;
  /** How often to look for what other processes told. @default 400 */
  idleMs?: number;
  /** Milliseconds that only grow, from wherever. @default performance.now */
  elapsedMs?: () => number;
}

/** Longer than a transaction may take: one may commit after a later one did. */
const overlapMs = 10_000;

interface Subscriber {
  workerId: string;
  listener: NotificationListener;
  seen: Set<number>;
}

export function openNotificationFeed(store: Store, options: NotificationFeedOptions): NotificationFeed {
  const { onError, idleMs = 400, elapsedMs = () => performance.now() } = options;
  const subscribers = new Set<Subscriber>();
  /** The start of the last look that came to an end. After a database's restart the next one goes back to it. */
  let lookedAtMs = elapsedMs();

  const tick = async (): Promise<number> => {
    const startedAtMs = elapsedMs();
    if (subscribers.size > 0) await look(startedAtMs - lookedAtMs + overlapMs);
    lookedAtMs = startedAtMs;
    return idleMs;
  };

  const look = async (windowMs: number): Promise<void> => {
    const workerIds = [...new Set([...subscribers].map(({ workerId }) => workerId))];
    const recent = await toldNotifications(store)
      .where("notifications.worker_id", "in", workerIds)
      .where("notifications.created_at", ">", sql<Date>`now() - make_interval(secs => ${windowMs / 1_000})`)
      .execute();
    for (const { workerId, listener, seen } of subscribers)
      for (const notification of recent) {
        if (notification.workerId !== workerId || seen.has(notification.id)) continue;
        seen.add(notification.id);
        listener(notification);
      }
  };

  const loop = runLoop(tick, onError);
  return {
    wake: loop.wake,
    stop: loop.stop,
    since: (workerId) => toldNotifications(store).where("notifications.worker_id", "=", workerId).execute(),
    subscribe(workerId, listener) {
      const subscriber: Subscriber = { workerId, listener, seen: new Set() };
      subscribers.add(subscriber);
      return () => subscribers.delete(subscriber);
    },
  };
}
