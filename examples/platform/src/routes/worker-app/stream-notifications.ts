import type { Response } from "express";
import type { Session } from "../../accounts/sessions.ts";
import type { FeedNotification } from "../../push/notification-feed.ts";
import { menuEntry } from "./menu.ts";
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
  const earlier = await deps.feed.readAll(workerId);
  if (response.destroyed) return;
  const expiresInMs = expiresAt.getTime() - deps.now().getTime();
  const write = deps.streams.start(response, { id: sessionId, expiresInMs, check });
  const sentKeys = new Set<string>();
  const send = (notification: FeedNotification, isReceived = false): void => {
    // Several devices may have received the same news. Send only one event for them.
    const key = `${notification.reason} ${notification.offerId}`;
    if (sentKeys.has(key)) return;
    sentKeys.add(key);
    if (!isReceived) write({ id: notification.position, type: "notification", data: menuEntry(notification) });
  };
  // Use the position, not the id: a notification with a lower id may have been committed since.
  const lastPosition = earlier.some(({ position }) => String(position) === lastId) ? Number(lastId) : 0;
  for (const notification of earlier) send(notification, notification.position <= lastPosition);
  response.once("close", deps.feed.subscribe(workerId, earlier.at(-1)?.position ?? 0, send));
}
