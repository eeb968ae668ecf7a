import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { ProblemError } from "../problem/problem-error.ts";
import type { Store, Trx } from "../store/store.ts";

/** Each is sent every notification; a person has a few (D-91). */
const maxDevices = 20;

export interface NewDevice {
  platform: "ios" | "android";
  token: string | undefined;
}

/**
 * Registers a device, in the caller's transaction. One with a token that is known is moved: it is this worker's, and no
 * longer the one's who used the phone before (D-79). Beyond the most that a worker may have, those go that were registered
 * longest ago.
 *
 * @returns its id, and whether that is a new one
 */
export async function addDevice(trx: Trx, workerId: string, { platform, token }: NewDevice) {
  // Those that a worker registers at the same time count one after the other.
  await trx.selectFrom("workers").select("id").where("id", "=", workerId).forNoKeyUpdate().execute();
  const newId = `device_${randomUUID()}`;
  const isSame = sql<boolean>`devices.worker_id = excluded.worker_id and devices.platform = excluded.platform`;
  // One statement: between two, another worker could take the token.
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
          // Another id, for what was sent to the worker before must not reach the phone any more.
          id: sql<string>`case when ${isSame} then devices.id else excluded.id end`,
          worker_id: sql<string>`excluded.worker_id`,
          platform: sql<"ios" | "android">`excluded.platform`,
          created_at: sql<Date>`excluded.created_at`,
        }),
    )
    .returning("id")
    .executeTakeFirstOrThrow();
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
  return { id, isNew: id === newId };
}

/** The worker's devices, the last registered first. Their tokens stay with us: whoever has one may write to the phone. */
export async function listDevices({ db }: Store, workerId: string) {
  const devices = await db
    .selectFrom("devices")
    .select(["id", "platform", "token", "created_at"])
    .where("worker_id", "=", workerId)
    .orderBy("created_at", "desc")
    .orderBy("id", "desc")
    .execute();
  return devices.map(({ id, platform, token, created_at: registeredAt }) => ({
    id,
    platform,
    hasToken: token !== null,
    registeredAt: registeredAt.toISOString(),
  }));
}

/**
 * Nothing more is pushed to it. What it was sent stays on the menu.
 *
 * @throws {ProblemError} `device_not_found`, also when it is another worker's
 */
export async function removeDevice({ db }: Store, workerId: string, id: string): Promise<void> {
  const { numDeletedRows } = await db
    .deleteFrom("devices")
    .where("id", "=", id)
    .where("worker_id", "=", workerId)
    .executeTakeFirstOrThrow();
  if (numDeletedRows === 0n) throw new ProblemError("device_not_found", "You have no device with this id.");
}
