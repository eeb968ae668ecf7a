import Stripe from "stripe";
import type { ClientCandidate } from "../candidate.ts";
import { openStripe } from "./stripe.ts";

export const candidate: ClientCandidate = {
  label: "stripe rawRequest, fetch client",
  usesFetch: true,
  open: (baseUrl) => openStripe(baseUrl, { httpClient: Stripe.createFetchHttpClient() }),
};
