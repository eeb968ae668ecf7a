import type { Request } from "express";
import type { Role } from "../session/role.ts";
import { signedIn } from "../session/sessions.ts";
import type { WorkerAppDeps } from "./worker-app-deps.ts";

/** Signs in with the worker's id. */
export const worker: Role = {
  owner: "worker_id",
  name: "workerId",
  sessionPath: "/worker-app/session",
  find: ({ db }, id) =>
    db.selectFrom("workers").select(["id", "password_hash"]).where("id", "=", id).executeTakeFirst(),
};

/**
 * The id of the worker whose session the request carries.
 *
 * @param parameters query parameters of the route
 * @throws {ProblemError} as {@link signedIn}
 */
export const signedInWorker = async (
  deps: WorkerAppDeps,
  request: Request,
  parameters: readonly string[] = [],
): Promise<string> => (await signedIn(deps, request, worker, { parameters })).ownerId;
