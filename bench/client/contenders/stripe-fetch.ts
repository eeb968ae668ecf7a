import Stripe from "stripe";
import type { Contender } from "../contender.ts";
import { openStripe } from "./stripe.ts";

export const contender: Contender = {
  label: "stripe rawRequest, fetch client",
  usesFetch: true,
  open: (baseUrl) => openStripe(baseUrl, { httpClient: Stripe.createFetchHttpClient() }),
};
