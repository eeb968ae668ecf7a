import type { Offer } from "../contract/offer.ts";
import { offerShape } from "../generated/offer-shape.ts";
import { findMismatch } from "./find-mismatch.ts";
import { InvalidBodyError } from "./invalid-body-error.ts";
import type { Operation } from "./operation.ts";

export const getOffer: Operation<undefined, Offer> = {
  name: "GetOffer",
  method: "GET",
  path: "/offer/{id}",
  absentStatus: 204,
  decode(text) {
    if (!text.trim()) throw new InvalidBodyError("the body is empty");
    const offer: Offer = JSON.parse(text);
    const mismatch = findMismatch(offer, offerShape);
    if (mismatch) throw new InvalidBodyError(`${mismatch[0].slice(1) || "the body"} ${mismatch[1]}`);
    return offer;
  },
};
