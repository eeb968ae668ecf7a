import type { RequestHandler } from "express";
import type { Notification } from "../push/push-transport.ts";
import { signedIn } from "../session/sessions.ts";
import { eachOnce, menuEntry, toldOf } from "./menu.ts";
import { worker } from "./signed-in-worker.ts";
import type { WorkerAppDeps } from "./worker-app-deps.ts";

/** `GET /worker-app/notifications/stream`: server-sent events; goes on after `Last-Event-ID`. */
export const notificationStreamRoute =
  (deps: WorkerAppDeps): RequestHandler =>
  async (request, response) => {
    const { id: sessionId, ownerId: workerId, expiresAt } = await signedIn(deps, request, worker);
    const lastId = request.get("last-event-id");
    // First the subscription, then the question what there is already: nothing falls between.
    const early: Notification[] = [];
    let pass = (notification: Notification): void => void early.push(notification);
    const unsubscribe = deps.feed.subscribe(workerId, (notification) => pass(notification));
    response.once("close", unsubscribe);
    const menu = eachOnce(await deps.feed.since(workerId));
    if (response.destroyed) return;
    const told = new Set(menu.map(toldOf));
    const write = deps.streams.begin(response, {
      id: sessionId,
      expiresInMs: expiresAt.getTime() - deps.now().getTime(),
      check: () => signedIn(deps, request, worker),
    });
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
  };
