import type { RequestHandler } from "express";
import { z } from "zod";
import { parseBody } from "../http/parse-body.ts";
import { textField } from "../http/text-field.ts";
import { addContact } from "./contacts.ts";
import { signedInWorker } from "./signed-in-worker.ts";
import type { WorkerAppDeps } from "./worker-app-deps.ts";

const contactSchema = z.strictObject({ organisationId: textField });

/** `POST /worker-app/contacts` */
export const addContactRoute =
  (deps: WorkerAppDeps): RequestHandler =>
  async (request, response) => {
    const workerId = await signedInWorker(deps, request);
    const { organisationId } = parseBody(contactSchema, await deps.readJson(request, response));
    await addContact(deps, workerId, organisationId);
    response.status(204).end();
  };
