import type {
  ContactSuggestionRequest,
  OfferEventDeleted,
  TimelineChanged,
  WorkerAddedContact,
  WorkerOfferResponse,
} from "../events.ts";

/**
 * What the service sends to each handler, by the name of the sender.
 *
 * @inline
 */
export interface Samples {
  workerAddedContact: WorkerAddedContact;
  contactSuggestions: ContactSuggestionRequest;
  workerOfferResponse: WorkerOfferResponse;
  offerEventDeleted: OfferEventDeleted;
  timelineChanged: TimelineChanged;
}

/** Valid payloads: with an invalid signature, the signature is the only reason to reject them. */
export const samplePayloads: Samples = {
  workerAddedContact: { workerId: "worker_made_up" },
  contactSuggestions: { userEmailAddresses: ["made.up@example.com"] },
  workerOfferResponse: { offerId: "offer_made_up", workerId: "worker_made_up", response: "rejected" },
  offerEventDeleted: { offerId: "offer_made_up", workerId: "worker_made_up", eventStart: "2099-01-01T08:00:00Z" },
  timelineChanged: {
    workerId: "worker_made_up",
    periodStart: "2099-01-01T00:00:00Z",
    periodEnd: "2099-01-02T00:00:00Z",
    completedAt: "2099-01-01T00:00:00Z",
  },
};
