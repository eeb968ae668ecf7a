import type { RequestHandler } from "express";
import { signedIn } from "../session/sessions.ts";
import { worker } from "./signed-in-worker.ts";
import { streamNotifications } from "./stream-notifications.ts";
import type { WorkerAppDeps } from "./worker-app-deps.ts";

/** `GET /worker-app/notifications/stream`: server-sent events; goes on after `Last-Event-ID`. */
export const notificationStreamRoute =
  (deps: WorkerAppDeps): RequestHandler =>
  async (request, response) => {
    const check = () => signedIn(deps, request, worker);
    const session = await check();
    await streamNotifications(deps, response, { session, lastId: request.get("last-event-id"), check });
  };
