import type { ReadJson } from "../http/read-json.ts";
import type { OfferDeps } from "../offers/commit-and-publish.ts";
import type { RateLimits } from "../rate-limits/rate-limits.ts";
import type { Dialect } from "./dialect.ts";

export interface ApiDeps extends OfferDeps {
  readJson: ReadJson;
  dialect: Dialect;
  rateLimits: RateLimits;
}
