import type { Response } from "express";
import type { Session } from "../../accounts/sessions.ts";
import type { Notification } from "../../dispatch/push/push-transport.ts";
import { menuEntry } from "./menu.ts";
import type { WorkerAppDeps } from "./worker.ts";

export interface StreamOptions {
  session: Session;
  /** The last event that the reader received; if unknown, the stream begins with the whole menu. */
  lastId: string | undefined;
  /** Throws once the session has ended. */
  check: () => Promise<unknown>;
}

/** Sends the menu entries after `lastId`, then new ones, as server-sent events until the session ends. */
export async function streamNotifications(
  deps: WorkerAppDeps,
  response: Response,
  { session: { id: sessionId, ownerId: workerId, expiresAt }, lastId, check }: StreamOptions,
): Promise<void> {
  // Subscribes before it reads the existing notifications, so that none is missed.
  const early: Notification[] = [];
  let pass = (notification: Notification): void => void early.push(notification);
  const unsubscribe = deps.feed.subscribe(workerId, (notification) => pass(notification));
  response.once("close", unsubscribe);
  const all = await deps.feed.since(workerId);
  if (response.destroyed) return;
  const expiresInMs = expiresAt.getTime() - deps.now().getTime();
  const write = deps.streams.begin(response, { id: sessionId, expiresInMs, check });
  const sent = new Set<string>();
  const send = (notification: Notification, isRead = false): void => {
    // Notifications to several devices are one entry of the menu.
    const key = `${notification.reason} ${notification.offerId}`;
    if (sent.has(key)) return;
    sent.add(key);
    if (!isRead) write({ id: notification.id, type: "notification", data: menuEntry(notification) });
  };
  const lastIndex = all.findIndex(({ id }) => String(id) === lastId);
  for (const [index, notification] of all.entries()) send(notification, index <= lastIndex);
  for (const notification of early) send(notification);
  pass = send;
}
