import { offerShape } from "../generated/offer-shape.ts";
import type { Offer } from "../offer.ts";
import type { Operation } from "../operation.ts";
import { findFault } from "../pipeline/find-fault.ts";
import { UnfitResponse } from "../pipeline/unfit-response.ts";

export const getOffer: Operation<undefined, Offer> = {
  name: "GetOffer",
  method: "GET",
  path: "/offer/{id}",
  absentStatus: 204,
  decode(text) {
    if (!text.trim()) throw new UnfitResponse("the body is empty");
    const offer: Offer = JSON.parse(text);
    const fault = findFault(offer, offerShape);
    if (fault) throw new UnfitResponse(`${fault[0].slice(1) || "the body"} ${fault[1]}`);
    return offer;
  },
};
