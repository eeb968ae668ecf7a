import { randomUUID } from "node:crypto";
import { ofetch } from "ofetch";
import { type ClientCandidate, commonHeaders, input } from "../candidate.ts";

export const candidate: ClientCandidate = {
  label: "ofetch",
  usesFetch: true,
  open(baseURL) {
    const send = ofetch.create({ baseURL, headers: commonHeaders, query: { "api-version": "1.0" } });
    return {
      read: () => send<{ id: string }>("/offer/offer_4f1c2a"),
      create() {
        const headers = { "idempotency-key": randomUUID() };
        return send<{ id: string }>("/offer", { method: "POST", headers, body: input });
      },
    };
  },
  package: {
    program: `
      import { ofetch } from "ofetch";
      const query = { "api-version": "1.0" };
      const headers = { "x-ue-api-subscription-key": "key" };
      console.log(await ofetch("https://service.example/offer/offer_1", { headers, query }));`,
    imports: ["ofetch"],
  },
};
