import { apiKey, type ClientCandidate } from "../candidate.ts";
import { openOffersClient } from "./offers-client.ts";

export const candidate: ClientCandidate = {
  label: "**@offers/client**, fetch",
  usesFetch: true,
  open: (baseUrl) => openOffersClient({ baseUrl, apiKey, fetch: (url, init) => fetch(url, init) }),
};
