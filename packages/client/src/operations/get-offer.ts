import type { Offer } from "../offer.ts";
import type { Operation } from "../operation.ts";

export const getOffer: Operation<undefined, Offer> = {
  name: "GetOffer",
  method: "GET",
  path: "/offer/{id}",
  absentStatus: 204,
  decode(text) {
    const offer: Offer = JSON.parse(text);
    // What callers walk through must be there.
    if (typeof offer.id !== "string" || !Array.isArray(offer.events) || !Array.isArray(offer.recipients))
      throw new Error();
    return offer;
  },
};
