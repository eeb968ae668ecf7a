import * as z from "zod";
import type { webhooks } from "../generated/openapi.ts";
import {
  idSchema,
  offerEventDeletedSchema,
  timelineChangedSchema,
  workerOfferResponseSchema,
} from "../generated/schemas.ts";
import { contactSuggestions } from "./contact-suggestions.ts";
import { type Endpoint, eventEndpoint, type HandledEndpoint } from "./endpoint.ts";

/** One for every webhook of the contract: adding or renaming one there fails the type check here. */
export const endpoints = {
  "/test": { kind: "test", name: "Test", method: "GET", path: "/test" },
  "/test/auth": { kind: "testAuth", name: "TestAuth", method: "GET", path: "/test/auth" },
  "/contact/new/{workerId}": eventEndpoint({
    name: "WorkerAddedContact",
    method: "GET",
    path: "/contact/new/{workerId}",
    schema: z.looseObject({ workerId: idSchema }),
    handler: "onWorkerAddedContact",
  }),
  "/contact-suggestions": contactSuggestions,
  "/offer/response": eventEndpoint({
    name: "WorkerOfferResponse",
    path: "/offer/response",
    schema: workerOfferResponseSchema,
    handler: "onWorkerOfferResponse",
    entityKey: ({ offerId, workerId }) => [offerId, workerId],
  }),
  "/offer/eventDeleted": eventEndpoint({
    name: "OfferEventDeleted",
    path: "/offer/eventDeleted",
    schema: offerEventDeletedSchema,
    handler: "onOfferEventDeleted",
  }),
  "/events/timelineChanged": eventEndpoint({
    name: "TimelineChanged",
    path: "/events/timelineChanged",
    schema: timelineChangedSchema,
    handler: "onTimelineChanged",
  }),
} as const satisfies { [P in keyof webhooks]: Endpoint & { readonly path: P } };

export const eventEndpoints: readonly HandledEndpoint[] = Object.values<Endpoint>(endpoints).filter(
  (endpoint): endpoint is HandledEndpoint => endpoint.kind === "event",
);
