import { timestampDigest } from "@offers/webhook-kit";
import { secret } from "./candidate.ts";

const scheme = timestampDigest();

/** Signs a request as the service is documented to sign it. */
export const signAsDocumented = (_body: string, id: string): Record<string, string> => ({
  ...scheme.sign({ secret, now: new Date() }),
  "Offers-Delivery-Id": id,
});
