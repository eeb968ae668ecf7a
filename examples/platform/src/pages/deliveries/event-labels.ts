import type { ReadDelivery } from "../../portal/deliveries/read-deliveries.ts";

type Event = Pick<ReadDelivery, "type" | "data" | "workerName" | "offerTitle">;

/** The event as a sentence. */
export function eventLabel({ type, data, workerName, offerTitle }: Event): string {
  const worker = workerName ?? data.workerId;
  switch (type) {
    case "workerAddedContact":
      return `${worker} added a contact here`;
    case "workerOfferResponse":
      return `${worker} ${data.response} “${offerTitle ?? data.offerId}”`;
  }
}
