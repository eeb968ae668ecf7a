import type { Response } from "express";
import type { Notification } from "../push/push-transport.ts";
import type { Session } from "../session/sessions.ts";
import { eachOnce, menuEntry, toldOf } from "./menu.ts";
import type { WorkerAppDeps } from "./worker-app-deps.ts";

export interface StreamOptions {
  session: Session;
  /** Of the last event that the reader has; without one that is known, the whole menu comes. */
  lastId: string | undefined;
  /** Throws once the session is over. */
  check: () => Promise<unknown>;
}

/** Answers with server-sent events: what is in the worker's menu after `lastId`, and what comes, until the session ends. */
export async function streamNotifications(
  deps: WorkerAppDeps,
  response: Response,
  { session: { id: sessionId, ownerId: workerId, expiresAt }, lastId, check }: StreamOptions,
): Promise<void> {
  // First the subscription, then the question what there is already: nothing falls between.
  const early: Notification[] = [];
  let pass = (notification: Notification): void => void early.push(notification);
  const unsubscribe = deps.feed.subscribe(workerId, (notification) => pass(notification));
  response.once("close", unsubscribe);
  const all = await deps.feed.since(workerId);
  if (response.destroyed) return;
  const told = new Set(all.map(toldOf));
  const expiresInMs = expiresAt.getTime() - deps.now().getTime();
  const write = deps.streams.begin(response, { id: sessionId, expiresInMs, check });
  const send = (notification: Notification): void =>
    write({ id: notification.id, type: "notification", data: menuEntry(notification) });
  const had = new Set(all.slice(0, all.findIndex(({ id }) => String(id) === lastId) + 1));
  for (const missed of eachOnce(all)) if (!had.has(missed)) send(missed);
  pass = (notification) => {
    if (told.has(toldOf(notification))) return;
    told.add(toldOf(notification));
    send(notification);
  };
  early.forEach(pass);
}
