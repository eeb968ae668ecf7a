import { OffersClient } from "@offers/client";
import { undiciFetch } from "@offers/client/node";
import { apiKey, type ClientCandidate, input } from "../candidate.ts";

export const candidate: ClientCandidate = {
  label: "**@offers/client/node**",
  usesFetch: false,
  open(baseUrl) {
    const offers = new OffersClient({ baseUrl, apiKey, fetch: undiciFetch() });
    return { read: () => offers.getOffer("offer_4f1c2a"), create: () => offers.createOffer(input) };
  },
  package: {
    program: `
      import { OffersClient } from "@offers/client";
      import { undiciFetch } from "@offers/client/node";
      const offers = new OffersClient({ baseUrl: "https://service.example", apiKey: "key", fetch: undiciFetch() });
      console.log(await offers.getOffer("offer_1"));`,
    platform: "node",
    imports: ["@offers/client", "@offers/client/node"],
  },
};
