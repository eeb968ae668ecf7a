import { timestampDigest } from "@offers/webhook-kit";
import { secret } from "./candidate.ts";

const scheme = timestampDigest();

/** Signs a request with the scheme that the service documents. */
export const signAsDocumented = (_body: string, id: string): Record<string, string> => ({
  ...scheme.sign({ secret, now: new Date() }),
  "Offers-Delivery-Id": id,
});
