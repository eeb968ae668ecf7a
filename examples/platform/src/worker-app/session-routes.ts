import type { RequestHandler } from "express";
import { z } from "zod";
import { parseBody } from "../http/parse-body.ts";
import { textField } from "../http/text-field.ts";
import { verifyPassword } from "../session/passwords.ts";
import { closeSession, openSession, signInFailed } from "../session/sessions.ts";
import type { WorkerAppDeps } from "./worker-app-deps.ts";

const credentialsSchema = z.strictObject({ workerId: textField, password: textField });

/** `POST /worker-app/session` */
export const signInRoute =
  (deps: WorkerAppDeps): RequestHandler =>
  async (request, response) => {
    const { workerId, password } = parseBody(credentialsSchema, await deps.readJson(request, response));
    const worker = await deps.store.db
      .selectFrom("workers")
      .select("password_hash")
      .where("id", "=", workerId)
      .executeTakeFirst();
    if (!(await verifyPassword(password, worker?.password_hash))) throw signInFailed();
    response.status(201).json(await openSession(deps.store, { worker_id: workerId }, deps.now()));
  };

/** `DELETE /worker-app/session` */
export const signOutRoute =
  ({ store }: WorkerAppDeps): RequestHandler =>
  async (request, response) => {
    await closeSession(store, request);
    response.status(204).end();
  };
