import { randomUUID } from "node:crypto";
import type { RequestHandler } from "express";
import { z } from "zod";
import { parseBody } from "../http/parse-body.ts";
import type { Trx } from "../store/store.ts";
import { signedInWorker } from "./signed-in-worker.ts";
import type { WorkerAppDeps } from "./worker-app-deps.ts";

/** Opaque; those of Firebase have about 160 characters. */
const tokenSchema = z.string().regex(/^[\x21-\x7e]{1,4096}$/);

const deviceSchema = z.strictObject({ platform: z.enum(["ios", "android"]), token: tokenSchema.optional() });

interface NewDevice {
  id: string;
  worker_id: string;
  platform: "ios" | "android";
  token: string | null;
}

/** `POST /worker-app/devices`: the same token again is the same device. */
export const addDeviceRoute =
  (deps: WorkerAppDeps): RequestHandler =>
  async (request, response) => {
    const workerId = await signedInWorker(deps, request);
    const { platform, token = null } = parseBody(deviceSchema, await deps.readJson(request, response));
    const device = { id: `device_${randomUUID()}`, worker_id: workerId, platform, token };
    const id = await deps.store.transaction((trx) => addDevice(trx, device));
    response.status(id === device.id ? 201 : 200).json({ id, platform });
  };

/** @returns the id of the worker's device with this token: the new one, or the one that has it already */
async function addDevice(trx: Trx, device: NewDevice): Promise<string> {
  const known = await insertOrFind(trx, device).executeTakeFirst();
  if (known !== undefined) return known.id;
  // The phone was another worker's, whose offers it must not show any more (D-79). Its row is locked since the insert.
  await trx.updateTable("devices").set({ token: null }).where("token", "=", device.token).execute();
  return (await insertOrFind(trx, device).executeTakeFirstOrThrow()).id;
}

/** One statement, so that nothing comes between. It returns no row when the token is at another device. */
const insertOrFind = (trx: Trx, device: NewDevice) =>
  trx
    .insertInto("devices")
    .values(device)
    .onConflict((conflict) =>
      conflict
        .column("token")
        .where("token", "is not", null)
        .doUpdateSet({ token: device.token })
        .where("devices.worker_id", "=", device.worker_id)
        .where("devices.platform", "=", device.platform),
    )
    .returning("id");
