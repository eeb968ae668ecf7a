import { OffersClient } from "@offers/client";
import { apiKey, type ClientCandidate, input } from "../candidate.ts";

export const candidate: ClientCandidate = {
  label: "**@offers/client**",
  usesFetch: true,
  open(baseUrl) {
    const offers = new OffersClient({ baseUrl, apiKey });
    return { read: () => offers.getOffer("offer_4f1c2a"), create: () => offers.createOffer(input) };
  },
  package: {
    program: `
      import { OffersClient } from "@offers/client";
      console.log(await new OffersClient({ baseUrl: "https://service.example", apiKey: "key" }).getOffer("offer_1"));`,
    imports: ["@offers/client"],
  },
};
