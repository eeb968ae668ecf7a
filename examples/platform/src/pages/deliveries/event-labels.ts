import type { ReadDelivery } from "../../portal/deliveries/read-deliveries.ts";

type Told = Pick<ReadDelivery, "type" | "data" | "workerName" | "offerTitle">;

/** What happened, as somebody would say it. */
export function eventLabel({ type, data, workerName, offerTitle }: Told): string {
  const worker = workerName ?? data.workerId;
  switch (type) {
    case "workerAddedContact":
      return `${worker} added a contact here`;
    case "workerOfferResponse":
      return `${worker} ${data.response} “${offerTitle ?? data.offerId}”`;
  }
}
