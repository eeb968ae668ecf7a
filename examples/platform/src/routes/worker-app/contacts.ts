import { type SqlBool, sql } from "kysely";
import { z } from "zod";
import { tooManyRequests } from "../../accounts/rate-limits.ts";
import { textField } from "../../http/fields.ts";
import { ProblemError } from "../../http/problem.ts";
import type { Trx } from "../../store/store.ts";
import { recordEvent } from "../../webhooks/record-event.ts";
import type { WorkerAppDeps } from "./worker.ts";

export const contactSchema = z.strictObject({ organisationId: textField });

/** Reads an organisation. @throws {ProblemError} `organisation_not_found` */
export async function readOrganisation({ store }: Pick<WorkerAppDeps, "store">, organisationId: string) {
  const organisation = await store.db
    .selectFrom("organisations")
    .select(["id", "name"])
    .where("id", "=", organisationId)
    .executeTakeFirst();
  if (organisation !== undefined) return organisation;
  throw new ProblemError("organisation_not_found", "No organisation has this id.");
}

/**
 * Reads one page of all organisations, sorted by name.
 *
 * @param after the last id on the previous page
 */
export const readOrganisations = (
  { store }: Pick<WorkerAppDeps, "store">,
  { after, limit }: { after: string | undefined; limit: number },
) =>
  store.db
    .selectFrom("organisations")
    .select(["id", "name"])
    .$if(after !== undefined, (query) =>
      query.where(sql<SqlBool>`(name, id) > (select name, id from organisations where id = ${after})`),
    )
    .orderBy("name")
    .orderBy("id")
    .limit(limit)
    .execute();

/**
 * Adds a contact, which shares the worker's availability with an organisation. The organisation receives an event every time (D-42).
 *
 * @throws {ProblemError} `rate_limited` (D-91)
 */
export async function addContact(
  trx: Trx,
  { personLimits: { contactsPerHour } }: Pick<WorkerAppDeps, "personLimits">,
  workerId: string,
  organisationId: string,
): Promise<void> {
  if (contactsPerHour !== undefined) await checkContactLimit(trx, workerId, contactsPerHour);
  await recordEvent(trx, organisationId, { type: "workerAddedContact", data: { workerId } });
}

/** Rejects a contact beyond the hourly limit. Counts stored events, so the limit holds across processes and restarts. */
async function checkContactLimit(trx: Trx, workerId: string, perHour: number): Promise<void> {
  // The lock serialises concurrent requests by one worker.
  await trx.selectFrom("workers").select("id").where("id", "=", workerId).forNoKeyUpdate().execute();
  const oldestCountedEvent = await trx
    .selectFrom("events")
    .select(
      sql<number>`extract(epoch from created_at + interval '1 hour' - clock_timestamp())::float8`.as("secondsLeft"),
    )
    .where("type", "=", "workerAddedContact")
    .where(sql`data ->> 'workerId'`, "=", workerId)
    .where("created_at", ">", sql<Date>`clock_timestamp() - interval '1 hour'`)
    .orderBy("created_at", "desc")
    .offset(perHour - 1)
    .limit(1)
    .executeTakeFirst();
  if (oldestCountedEvent === undefined) return;
  throw tooManyRequests(`You can add at most ${perHour} contacts in an hour`, oldestCountedEvent.secondsLeft);
}
