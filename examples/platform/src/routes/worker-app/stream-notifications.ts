import type { Response } from "express";
import type { Session } from "../../accounts/sessions.ts";
import type { FeedNotification } from "../../push/notification-feed.ts";
import { toMenuEntry } from "./menu.ts";
import type { WorkerAppDeps } from "./worker.ts";

export interface StreamOptions {
  session: Session;
  /** The id of the last event that the client received. If the id is missing or unknown, the stream starts with every notification in the menu. */
  lastId: string | undefined;
  /** Throws once the session has ended. */
  check: () => Promise<unknown>;
}

/** Sends the notifications after `lastId`, then new notifications, as server-sent events until the session ends. */
export async function streamNotifications(
  deps: WorkerAppDeps,
  response: Response,
  { session: { id: sessionId, ownerId: workerId, expiresAt }, lastId, check }: StreamOptions,
): Promise<void> {
  const earlierNotifications = await deps.feed.readAll(workerId);
  // The client may have disconnected in the meantime.
  if (response.destroyed) return;
  const expiresInMs = expiresAt.getTime() - deps.now().getTime();
  const write = deps.streams.start(response, { id: sessionId, ownerId: workerId, expiresInMs, check });
  const sentKeys = new Set<string>();
  const newsKey = ({ reason, offerId }: FeedNotification): string => `${reason} ${offerId}`;
  // Several devices may have received the same news. Send only one event for them.
  const sendOnce = (notification: FeedNotification): void => {
    const key = newsKey(notification);
    if (sentKeys.has(key)) return;
    sentKeys.add(key);
    write({ id: notification.position, type: "notification", data: toMenuEntry(notification) });
  };
  // Compare positions, because a notification with a lower id may have been committed later.
  const isLastIdKnown = earlierNotifications.some(({ position }) => String(position) === lastId);
  const lastPosition = isLastIdKnown ? Number(lastId) : 0;
  for (const notification of earlierNotifications) {
    if (notification.position <= lastPosition) sentKeys.add(newsKey(notification));
    else sendOnce(notification);
  }
  response.once("close", deps.feed.subscribe(workerId, earlierNotifications.at(-1)?.position ?? 0, sendOnce));
}
