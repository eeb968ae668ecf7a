import Stripe from "stripe";
import type { Candidate } from "../candidate.ts";
import { openStripe } from "./stripe.ts";

export const candidate: Candidate = {
  label: "stripe rawRequest, fetch client",
  usesFetch: true,
  open: (baseUrl) => openStripe(baseUrl, { httpClient: Stripe.createFetchHttpClient() }),
};
