import { type SqlBool, sql } from "kysely";
import { z } from "zod";
import { recordEvent } from "../events/record-event.ts";
import { textField } from "../http/text-field.ts";
import { ProblemError } from "../problem/problem-error.ts";
import type { Trx } from "../store/store.ts";
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

/** The worker shares availability with somebody at an organisation, which is told each time (D-42). */
export const addContact = (trx: Trx, { queue }: WorkerAppDeps, workerId: string, organisationId: string) =>
  recordEvent(trx, queue, organisationId, { type: "workerAddedContact", data: { workerId } });
