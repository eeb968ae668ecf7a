import { timestampDigest } from "@offers/webhook-kit";
import { secret } from "./candidate.ts";

const scheme = timestampDigest();

/** Signs a request the way the service is documented to. */
export const signAsDocumented = (_body: string, id: string): Record<string, string> => ({
  ...scheme.sign({ secret, now: new Date() }),
  "Offers-Delivery-Id": id,
});
