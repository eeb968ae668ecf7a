import { z } from "zod";
import { recordEvent } from "../events/record-event.ts";
import { textField } from "../http/text-field.ts";
import { commit } from "../offers/commit.ts";
import { ProblemError } from "../problem/problem-error.ts";
import type { WorkerAppDeps } from "./worker-app-deps.ts";

export const contactSchema = z.strictObject({ organisationId: textField });

/**
 * The worker shares availability with somebody at an organisation, which is told each time (D-42).
 *
 * @returns the organisation
 * @throws {ProblemError} `organisation_not_found`
 */
export async function addContact(deps: WorkerAppDeps, workerId: string, organisationId: string) {
  const organisation = await deps.store.db
    .selectFrom("organisations")
    .select(["id", "name"])
    .where("id", "=", organisationId)
    .executeTakeFirst();
  if (organisation === undefined) throw new ProblemError("organisation_not_found", "No organisation has this id.");
  await commit(deps, (trx) =>
    recordEvent(trx, deps.queue, organisationId, { type: "workerAddedContact", data: { workerId } }),
  );
  return organisation;
}
