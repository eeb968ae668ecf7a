import type { RequestHandler } from "express";
import { listParameters, listSchema } from "../lists/list-query.ts";
import { parseBody } from "../validation/parse-body.ts";
import { listMenu, menuCursor } from "./list-menu.ts";
import { menuEntry } from "./menu.ts";
import { signedInWorker } from "./signed-in-worker.ts";
import type { WorkerAppDeps } from "./worker-app-deps.ts";

const querySchema = listSchema(menuCursor);

/** `GET /worker-app/notifications`: the notifications menu, newest first. */
export const listNotificationsRoute =
  (deps: WorkerAppDeps): RequestHandler =>
  async (request, response) => {
    const workerId = await signedInWorker(deps, request, listParameters);
    const { rows, next } = await listMenu(deps.store, workerId, parseBody(querySchema, { ...request.query }));
    response.json({ notifications: rows.map(menuEntry), next });
  };
