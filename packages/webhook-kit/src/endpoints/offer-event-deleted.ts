import type { OfferEventDeleted } from "../events.ts";
import { offerEventDeletedSchema } from "../generated/schemas.ts";
import { acknowledged } from "../http/response.ts";
import { after, attempt, fromUser } from "../receive/after.ts";
import { handlerFailed } from "../receive/handler-failed.ts";
import type { HandledEndpoint } from "./endpoint.ts";

/** An extra of the live service (D-34). */
export const offerEventDeleted: HandledEndpoint<"/offer/eventDeleted", OfferEventDeleted> = {
  kind: "event",
  name: "OfferEventDeleted",
  method: "POST",
  path: "/offer/eventDeleted",
  schema: offerEventDeletedSchema,
  handlerName: "onOfferEventDeleted",
  handle: (handlers, event, context) =>
    after(
      attempt(() => fromUser(handlers.onOfferEventDeleted?.(event, context)), handlerFailed("OfferEventDeleted")),
      () => acknowledged,
    ),
};
