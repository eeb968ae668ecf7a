import { randomUUID } from "node:crypto";
import { type ClientCandidate, commonHeaders, input } from "../candidate.ts";

/** Sends the same requests as the other candidates, but without timeouts, retries or typed errors. */
export const candidate: ClientCandidate = {
  label: "bare fetch",
  usesFetch: true,
  open: (baseUrl) => ({
    async read() {
      const response = await fetch(`${baseUrl}/offer/offer_4f1c2a?api-version=1.0`, { headers: commonHeaders });
      if (!response.ok) throw new Error(`status ${response.status}`);
      return response.json();
    },
    async create() {
      const response = await fetch(`${baseUrl}/offer?api-version=1.0`, {
        method: "POST",
        headers: { ...commonHeaders, "content-type": "application/json", "idempotency-key": randomUUID() },
        body: JSON.stringify(input),
      });
      if (!response.ok) throw new Error(`status ${response.status}`);
      return response.json();
    },
  }),
  package: {
    program: `
      const response = await fetch("https://service.example/offer/offer_1?api-version=1.0", {
        headers: { "x-ue-api-subscription-key": "key" },
      });
      if (!response.ok) throw new Error(String(response.status));
      console.log(await response.json());`,
    imports: [],
  },
};
