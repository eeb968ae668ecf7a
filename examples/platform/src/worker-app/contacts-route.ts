import type { RequestHandler } from "express";
import { parseBody } from "../http/parse-body.ts";
import { addContact, contactSchema } from "./contacts.ts";
import { signedInWorker } from "./signed-in-worker.ts";
import type { WorkerAppDeps } from "./worker-app-deps.ts";

/** `POST /worker-app/contacts` */
export const addContactRoute =
  (deps: WorkerAppDeps): RequestHandler =>
  async (request, response) => {
    const workerId = await signedInWorker(deps, request);
    const { organisationId } = parseBody(contactSchema, await deps.readJson(request, response));
    await addContact(deps, workerId, organisationId);
    response.status(204).end();
  };
