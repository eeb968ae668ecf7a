import type { RequestHandler } from "express";
import { z } from "zod";
import { recordEvent } from "../events/record-event.ts";
import { parseBody } from "../http/parse-body.ts";
import { textField } from "../http/text-field.ts";
import { commit } from "../offers/commit.ts";
import { ProblemError } from "../problem/problem-error.ts";
import { signedInWorker } from "./signed-in-worker.ts";
import type { WorkerAppDeps } from "./worker-app-deps.ts";

const contactSchema = z.strictObject({ organisationId: textField });

/** `POST /worker-app/contacts`: the worker shares availability with somebody at an organisation, which is told each time (D-42). */
export const addContactRoute =
  (deps: WorkerAppDeps): RequestHandler =>
  async (request, response) => {
    const workerId = await signedInWorker(deps, request);
    const { organisationId } = parseBody(contactSchema, await deps.readJson(request, response));
    const organisation = await deps.store.db
      .selectFrom("organisations")
      .select("id")
      .where("id", "=", organisationId)
      .executeTakeFirst();
    if (organisation === undefined) throw new ProblemError("organisation_not_found", "No organisation has this id.");
    await commit(deps, (trx) =>
      recordEvent(trx, deps.queue, organisationId, { type: "workerAddedContact", data: { workerId } }),
    );
    response.status(204).end();
  };
