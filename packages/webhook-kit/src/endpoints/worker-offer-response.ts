import type { WorkerOfferResponse } from "../events.ts";
import { workerOfferResponseSchema } from "../generated/schemas.ts";
import { acknowledged } from "../http/response.ts";
import { after, attempt, fromUser } from "../receive/after.ts";
import { handlerFailed } from "../receive/handler-failed.ts";
import type { HandledEndpoint } from "./endpoint.ts";

/** Path, method and payload are those of the live service (D-14). */
export const workerOfferResponse: HandledEndpoint<"/offer/response", WorkerOfferResponse> = {
  kind: "event",
  name: "WorkerOfferResponse",
  method: "POST",
  path: "/offer/response",
  schema: workerOfferResponseSchema,
  subjectOf: ({ offerId, workerId }) => [offerId, workerId],
  handlerName: "onWorkerOfferResponse",
  handle: (handlers, event, context) =>
    after(
      attempt(() => fromUser(handlers.onWorkerOfferResponse?.(event, context)), handlerFailed("WorkerOfferResponse")),
      () => acknowledged,
    ),
};
