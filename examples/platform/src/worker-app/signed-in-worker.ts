import type { Request } from "express";
import { notSignedIn, sessionOf } from "../session/sessions.ts";
import type { WorkerAppDeps } from "./worker-app-deps.ts";

/**
 * The id of the worker whose session the request carries.
 *
 * @throws {ProblemError} `not_signed_in`
 */
export async function signedInWorker(
  { store, now }: Pick<WorkerAppDeps, "store" | "now">,
  request: Request,
): Promise<string> {
  const session = await sessionOf(store, request, now());
  if (!session?.worker_id) throw notSignedIn("/worker-app/session");
  return session.worker_id;
}
