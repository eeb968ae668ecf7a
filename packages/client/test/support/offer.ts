import type { Offer, OfferInput } from "../../src/index.ts";

/** The example offer in spec/openapi.yaml. */
export const offer: Offer = {
  id: "offer_4f1c2a",
  title: "Kitchen help on Friday",
  details: "Evening service, black trousers, knives provided.",
  isHistoric: false,
  widthdrawn: false,
  complete: false,
  locationPlaceId: "place_harbour_kitchen",
  createdAt: "2099-04-20T09:30:00.000Z",
  events: [{ start: "2099-05-01T16:00:00Z", end: "2099-05-01T22:00:00Z" }],
  recipients: [{ id: 1, workerId: "worker_amal", name: "Amal Haddad", response: "applied", confirmation: "" }],
};

export const input: OfferInput = {
  createdByUserId: "user_hana",
  title: "Kitchen help on Friday",
  workerIds: ["worker_amal", "worker_ben"],
  events: [{ start: "2099-05-01T16:00:00Z", end: "2099-05-01T22:00:00Z" }],
};
