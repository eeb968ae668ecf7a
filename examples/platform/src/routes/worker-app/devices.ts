import { randomUUID } from "node:crypto";
import { nullAsAbsent } from "@offers/contract/received-values";
import { sql } from "kysely";
import { z } from "zod";
import { ProblemError } from "../../http/problem.ts";
import type { Store, Trx } from "../../store/store.ts";

/** The maximum number of devices per worker. Each device gets every notification (D-91). */
const maxDevices = 20;

export const deviceSchema = nullAsAbsent(
  z.strictObject({
    platform: z.enum(["ios", "android"]),
    // The token is opaque. Firebase tokens have about 160 characters.
    token: z
      .string()
      .regex(/^[\x21-\x7e]{1,4096}$/)
      .optional(),
  }),
);

export type NewDevice = z.infer<typeof deviceSchema>;

/**
 * Registers a device in the caller's transaction. A known token moves to this worker (D-79). If the worker then has too many
 * devices, the oldest are removed.
 *
 * @returns the id, and whether it is new
 */
export async function addDevice(trx: Trx, workerId: string, { platform, token }: NewDevice) {
  // The lock serialises concurrent requests by one worker.
  await trx.selectFrom("workers").select("id").where("id", "=", workerId).forNoKeyUpdate().execute();
  const newId = `device_${randomUUID()}`;
  const isSameDevice = sql<boolean>`devices.worker_id = excluded.worker_id and devices.platform = excluded.platform`;
  // Use one statement, because another worker could register the token between two statements.
  const { id } = await trx
    .insertInto("devices")
    .values({
      id: newId,
      worker_id: workerId,
      platform,
      token: token ?? null,
      created_at: sql<Date>`clock_timestamp()`,
    })
    .onConflict((conflict) =>
      conflict
        .column("token")
        .where("token", "is not", null)
        .doUpdateSet({
          // Use a new id, so that pending pushes to the previous worker do not reach the phone.
          id: sql<string>`case when ${isSameDevice} then devices.id else excluded.id end`,
          worker_id: sql<string>`excluded.worker_id`,
          platform: sql<"ios" | "android">`excluded.platform`,
          created_at: sql<Date>`excluded.created_at`,
        }),
    )
    .returning("id")
    .executeTakeFirstOrThrow();
  await removeExcessDevices(trx, workerId);
  return { id, isNew: id === newId };
}

/** Removes the worker's oldest devices beyond the maximum. */
async function removeExcessDevices(trx: Trx, workerId: string): Promise<void> {
  await trx
    .deleteFrom("devices")
    .where("id", "in", ({ selectFrom }) =>
      selectFrom("devices")
        .select("id")
        .where("worker_id", "=", workerId)
        .orderBy("created_at", "desc")
        .orderBy("id", "desc")
        .offset(maxDevices),
    )
    .execute();
}

/** Reads the worker's devices, most recently registered first. Leaves out tokens, because anyone with a token can push to the phone. */
export const listDevices = ({ db }: Store, workerId: string) =>
  db
    .selectFrom("devices")
    .select(["id", "platform", "created_at as registeredAt"])
    .select(({ eb }) => eb("token", "is not", null).as("hasToken"))
    .where("worker_id", "=", workerId)
    .orderBy("created_at", "desc")
    .orderBy("id", "desc")
    .execute();

/**
 * Removes a device, which then receives no more notifications. Earlier notifications stay in the menu.
 *
 * @throws {ProblemError} `device_not_found`, even for another worker's device
 */
export async function removeDevice({ db }: Store, workerId: string, deviceId: string): Promise<void> {
  const { numDeletedRows } = await db
    .deleteFrom("devices")
    .where("id", "=", deviceId)
    .where("worker_id", "=", workerId)
    .executeTakeFirstOrThrow();
  if (numDeletedRows === 0n) throw new ProblemError("device_not_found", "You have no device with this id.");
}
