import type { RequestHandler } from "express";
import { sessionOf, signedIn } from "../session/sessions.ts";
import { worker } from "./signed-in-worker.ts";
import { streamNotifications } from "./stream-notifications.ts";
import type { WorkerAppDeps } from "./worker-app-deps.ts";

/** `GET /worker-app/notifications/stream`: server-sent events; goes on after `Last-Event-ID`. */
export const notificationStreamRoute =
  (deps: WorkerAppDeps): RequestHandler =>
  async (request, response) => {
    const session = await signedIn(deps, request, worker, { use: "stream" });
    const check = () => sessionOf(deps, request, worker);
    await streamNotifications(deps, response, { session, lastId: request.get("last-event-id"), check });
  };
