import { OffersClient, type OffersClientOptions } from "@offers/client";
import { apiKey, type Calls, type ClientCandidate, input } from "../candidate.ts";

/** Creates a client for both calls. */
export function openOffersClient(options: OffersClientOptions): Calls {
  const offers = new OffersClient(options);
  return { read: () => offers.getOffer("offer_4f1c2a"), create: () => offers.createOffer(input) };
}

/** Uses `node:http` with a server. With a stubbed `fetch`, it uses the stub. */
export const candidate: ClientCandidate = {
  label: "**@offers/client**",
  usesFetch: true,
  open: (baseUrl) => openOffersClient({ baseUrl, apiKey }),
  package: {
    program: `
      import { OffersClient } from "@offers/client";
      console.log(await new OffersClient({ baseUrl: "https://service.example", apiKey: "key" }).getOffer("offer_1"));`,
    imports: ["@offers/client"],
  },
};
