import type { ReadJson } from "../http/read-json.ts";
import type { OfferDeps } from "../offers/offer-deps.ts";

export interface ApiDeps extends OfferDeps {
  readJson: ReadJson;
}
