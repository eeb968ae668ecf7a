import type { Response } from "express";
import type { Notification } from "../push/push-transport.ts";
import type { Session } from "../session/sessions.ts";
import { deduplicate, menuEntry, notificationKey } from "./menu.ts";
import type { WorkerAppDeps } from "./worker-app-deps.ts";

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
  const sent = new Set(all.map(notificationKey));
  const expiresInMs = expiresAt.getTime() - deps.now().getTime();
  const write = deps.streams.begin(response, { id: sessionId, expiresInMs, check });
  const send = (notification: Notification): void =>
    write({ id: notification.id, type: "notification", data: menuEntry(notification) });
  const had = new Set(all.slice(0, all.findIndex(({ id }) => String(id) === lastId) + 1));
  for (const missed of deduplicate(all)) if (!had.has(missed)) send(missed);
  pass = (notification) => {
    if (sent.has(notificationKey(notification))) return;
    sent.add(notificationKey(notification));
    send(notification);
  };
  early.forEach(pass);
}
