import { randomUUID } from "node:crypto";
import { apiKey, type Contender, input } from "../contender.ts";

/** Sends what the others send and takes a success for granted: no time-out, no retry, no typed error. */
export const contender: Contender = {
  label: "bare fetch",
  open: (baseUrl) => ({
    async read() {
      const headers = { accept: "application/json", "x-ue-api-subscription-key": apiKey };
      const response = await fetch(`${baseUrl}/offer/offer_4f1c2a?api-version=1.0`, { headers });
      if (!response.ok) throw new Error(`answered ${response.status}`);
      return response.json();
    },
    async create() {
      const response = await fetch(`${baseUrl}/offer?api-version=1.0`, {
        method: "POST",
        headers: {
          accept: "application/json",
          "content-type": "application/json",
          "idempotency-key": randomUUID(),
          "x-ue-api-subscription-key": apiKey,
        },
        body: JSON.stringify(input),
      });
      if (!response.ok) throw new Error(`answered ${response.status}`);
      return response.json();
    },
  }),
  program: `
    const response = await fetch("https://service.example/offer/offer_1?api-version=1.0", {
      headers: { "x-ue-api-subscription-key": "key" },
    });
    if (!response.ok) throw new Error(String(response.status));
    console.log(await response.json());`,
};
