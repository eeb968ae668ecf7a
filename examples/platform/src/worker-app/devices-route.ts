import { randomUUID } from "node:crypto";
import type { RequestHandler } from "express";
import { z } from "zod";
import { parseBody } from "../http/parse-body.ts";
import { signedInWorker } from "./signed-in-worker.ts";
import type { WorkerAppDeps } from "./worker-app-deps.ts";

const deviceSchema = z.strictObject({ platform: z.enum(["ios", "android"]) });

/** `POST /worker-app/devices` */
export const addDeviceRoute =
  (deps: WorkerAppDeps): RequestHandler =>
  async (request, response) => {
    const workerId = await signedInWorker(deps, request);
    const { platform } = parseBody(deviceSchema, await deps.readJson(request, response));
    const id = `device_${randomUUID()}`;
    await deps.store.db.insertInto("devices").values({ id, worker_id: workerId, platform }).execute();
    response.status(201).json({ id, platform });
  };
