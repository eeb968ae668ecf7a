import * as z from "zod";
import type { WorkerAddedContact } from "../events.ts";
import { idSchema } from "../generated/schemas.ts";
import { acknowledged } from "../http/response.ts";
import { after, attempt, fromUser } from "../receive/after.ts";
import { handlerFailed } from "../receive/handler-failed.ts";
import type { HandledEndpoint } from "./endpoint.ts";

/** Has no payload: the worker's id stands in the path. Answered 200 without a body (D-12). */
export const workerAddedContact: HandledEndpoint<"/contact/new/{workerId}", WorkerAddedContact> = {
  kind: "event",
  name: "WorkerAddedContact",
  method: "GET",
  path: "/contact/new/{workerId}",
  schema: z.object({ workerId: idSchema }),
  handlerName: "onWorkerAddedContact",
  handle: (handlers, event, context) =>
    after(
      attempt(() => fromUser(handlers.onWorkerAddedContact?.(event, context)), handlerFailed("WorkerAddedContact")),
      () => acknowledged,
    ),
};
