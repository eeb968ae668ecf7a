import { endpoints } from "../endpoints/all.ts";
import type { Samples } from "./samples.ts";

/** The endpoints that a handler stands behind. */
export const handledEndpoints = {
  workerAddedContact: endpoints["/contact/new/{workerId}"],
  contactSuggestions: endpoints["/contact-suggestions"],
  workerOfferResponse: endpoints["/offer/response"],
  offerEventDeleted: endpoints["/offer/eventDeleted"],
  timelineChanged: endpoints["/events/timelineChanged"],
} as const satisfies Record<keyof Samples, unknown>;

export const handledNames = Object.keys(handledEndpoints) as (keyof Samples)[];
