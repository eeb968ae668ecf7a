import type { RequestHandler } from "express";
import { commitAndPublish } from "../offers/commit-and-publish.ts";
import { parseBody } from "../validation/parse-body.ts";
import { addContact, contactSchema, readOrganisation } from "./contacts.ts";
import { signedInWorker } from "./signed-in-worker.ts";
import type { WorkerAppDeps } from "./worker-app-deps.ts";

/** `POST /worker-app/contacts` */
export const addContactRoute =
  (deps: WorkerAppDeps): RequestHandler =>
  async (request, response) => {
    const workerId = await signedInWorker(deps, request);
    const { organisationId } = parseBody(contactSchema, await deps.readJson(request, response));
    const { id } = await readOrganisation(deps, organisationId);
    await commitAndPublish(deps, (trx) => addContact(trx, deps, workerId, id));
    response.status(204).end();
  };
