import type { RequestHandler } from "express";
import { z } from "zod";
import { nullAsAbsent } from "../generated/received-values.ts";
import { pathParameter } from "../http/path-parameter.ts";
import { parseBody } from "../validation/parse-body.ts";
import { addDevice, listDevices, removeDevice } from "./devices.ts";
import { signedInWorker } from "./signed-in-worker.ts";
import type { WorkerAppDeps } from "./worker-app-deps.ts";

/** Opaque; Firebase tokens have about 160 characters. */
const tokenSchema = z.string().regex(/^[\x21-\x7e]{1,4096}$/);

const deviceSchema = nullAsAbsent(
  z.strictObject({ platform: z.enum(["ios", "android"]), token: tokenSchema.optional() }),
);

/** `POST /worker-app/devices`: registering a token again returns the same device. */
export const addDeviceRoute =
  (deps: WorkerAppDeps): RequestHandler =>
  async (request, response) => {
    const workerId = await signedInWorker(deps, request);
    const { platform, token } = parseBody(deviceSchema, await deps.readJson(request, response));
    const { id, isNew } = await deps.store.transaction((trx) => addDevice(trx, workerId, { platform, token }));
    response.status(isNew ? 201 : 200).json({ id, platform });
  };

/** `GET /worker-app/devices`: all devices of the worker (D-91 limits them). */
export const listDevicesRoute =
  (deps: WorkerAppDeps): RequestHandler =>
  async (request, response) => {
    const workerId = await signedInWorker(deps, request);
    response.json({ devices: await listDevices(deps.store, workerId) });
  };

/** `DELETE /worker-app/devices/{id}` */
export const removeDeviceRoute =
  (deps: WorkerAppDeps): RequestHandler =>
  async (request, response) => {
    const workerId = await signedInWorker(deps, request);
    await removeDevice(deps.store, workerId, pathParameter(request, "id"));
    response.status(204).end();
  };
