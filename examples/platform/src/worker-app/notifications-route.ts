import type { RequestHandler } from "express";
import { eachOnce, menuEntry } from "./menu.ts";
import { signedInWorker } from "./signed-in-worker.ts";
import type { WorkerAppDeps } from "./worker-app-deps.ts";

/** `GET /worker-app/notifications`: the notifications menu, newest last. */
export const listNotificationsRoute =
  (deps: WorkerAppDeps): RequestHandler =>
  async (request, response) => {
    const workerId = await signedInWorker(deps, request);
    response.json({ notifications: eachOnce(await deps.feed.since(workerId)).map(menuEntry) });
  };
