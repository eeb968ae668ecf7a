import { type SqlBool, sql } from "kysely";
import { z } from "zod";
import { recordEvent } from "../delivery/record-event.ts";
import { ProblemError } from "../problem/problem-error.ts";
import { tooManyRequests } from "../rate-limits/too-many-requests.ts";
import { announce } from "../signals/announce.ts";
import type { Trx } from "../store/store.ts";
import { textField } from "../validation/text-field.ts";
import type { WorkerAppDeps } from "./worker-app-deps.ts";

export const contactSchema = z.strictObject({ organisationId: textField });

/** @throws {ProblemError} `organisation_not_found` */
export async function readOrganisation({ store }: Pick<WorkerAppDeps, "store">, id: string) {
  const organisation = await store.db
    .selectFrom("organisations")
    .select(["id", "name"])
    .where("id", "=", id)
    .executeTakeFirst();
  if (organisation !== undefined) return organisation;
  throw new ProblemError("organisation_not_found", "No organisation has this id.");
}

export interface OrganisationsAsked {
  /** The last id of the part before. */
  after: string | undefined;
  limit: number;
}

/** All there are, by name. */
export const readOrganisations = ({ store }: Pick<WorkerAppDeps, "store">, { after, limit }: OrganisationsAsked) =>
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
 * The worker shares availability with a contact at an organisation, which is sent an event each time (D-42).
 *
 * @throws {ProblemError} `rate_limited` (D-91)
 */
export async function addContact(
  trx: Trx,
  { personLimits: { contactsPerHour } }: Pick<WorkerAppDeps, "personLimits">,
  workerId: string,
  organisationId: string,
): Promise<void> {
  if (contactsPerHour !== undefined) await checkContacts(trx, workerId, contactsPerHour);
  await recordEvent(trx, organisationId, { type: "workerAddedContact", data: { workerId } });
  announce(trx, { topic: "delivery", organisationId });
}

/** Counted by the events themselves: they are the same for all processes, and survive a restart. */
async function checkContacts(trx: Trx, workerId: string, perHour: number): Promise<void> {
  // Those that a worker adds at the same time count one after the other.
  await trx.selectFrom("workers").select("id").where("id", "=", workerId).forNoKeyUpdate().execute();
  const oldest = await trx
    .selectFrom("events")
    .select(sql<number>`extract(epoch from created_at + interval '1 hour' - clock_timestamp())::float8`.as("seconds"))
    .where("type", "=", "workerAddedContact")
    .where(sql`data ->> 'workerId'`, "=", workerId)
    .where("created_at", ">", sql<Date>`clock_timestamp() - interval '1 hour'`)
    .orderBy("created_at", "desc")
    .offset(perHour - 1)
    .limit(1)
    .executeTakeFirst();
  if (oldest === undefined) return;
  throw tooManyRequests(`You may add ${perHour} contacts in an hour`, oldest.seconds);
}
