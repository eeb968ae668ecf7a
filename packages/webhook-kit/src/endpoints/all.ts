import type { webhooks } from "../generated/openapi.ts";
import { contactSuggestions } from "./contact-suggestions.ts";
import type { Endpoint } from "./endpoint.ts";
import { offerEventDeleted } from "./offer-event-deleted.ts";
import { test } from "./test.ts";
import { testAuth } from "./test-auth.ts";
import { timelineChanged } from "./timeline-changed.ts";
import { workerAddedContact } from "./worker-added-contact.ts";
import { workerOfferResponse } from "./worker-offer-response.ts";

/** One for every webhook of the contract: one that is added or renamed there fails the type check here. */
export const endpoints = {
  "/test": test,
  "/test/auth": testAuth,
  "/contact/new/{workerId}": workerAddedContact,
  "/contact-suggestions": contactSuggestions,
  "/offer/response": workerOfferResponse,
  "/offer/eventDeleted": offerEventDeleted,
  "/events/timelineChanged": timelineChanged,
} satisfies { [P in keyof webhooks]: Endpoint & { readonly path: P } };
