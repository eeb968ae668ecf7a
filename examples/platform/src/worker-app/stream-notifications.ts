import type { Request, Response } from "express";
import type { Notification } from "../push/push-transport.ts";
import type { Session } from "../session/sessions.ts";
import { eachOnce, menuEntry, toldOf } from "./menu.ts";
import type { WorkerAppDeps } from "./worker-app-deps.ts";

/**
 * Answers with server-sent events: the worker's menu after `Last-Event-ID`, and what comes, until the session ends.
 *
 * @param check throws once the session is over
 */
export async function streamNotifications(
  deps: WorkerAppDeps,
  request: Request,
  response: Response,
  { id: sessionId, ownerId: workerId, expiresAt }: Session,
  check: () => Promise<unknown>,
): Promise<void> {
  const lastId = request.get("last-event-id");
  // First the subscription, then the question what there is already: nothing falls between.
  const early: Notification[] = [];
  let pass = (notification: Notification): void => void early.push(notification);
  const unsubscribe = deps.feed.subscribe(workerId, (notification) => pass(notification));
  response.once("close", unsubscribe);
  const menu = eachOnce(await deps.feed.since(workerId));
  if (response.destroyed) return;
  const told = new Set(menu.map(toldOf));
  const expiresInMs = expiresAt.getTime() - deps.now().getTime();
  const write = deps.streams.begin(response, { id: sessionId, expiresInMs, check });
  const send = (notification: Notification): void =>
    write({ id: notification.id, type: "notification", data: menuEntry(notification) });
  // An id that is not in the menu, or none, is before all of it.
  for (const missed of menu.slice(menu.findIndex(({ id }) => String(id) === lastId) + 1)) send(missed);
  pass = (notification) => {
    if (told.has(toldOf(notification))) return;
    told.add(toldOf(notification));
    send(notification);
  };
  early.forEach(pass);
}
